"""More tags or names than are searched: refused over REST, whatever would have stored them."""

import httpx2
import pytest

REMEMBER = {"op": "remember", "title": "Viele"}
MANY = [f"t{number}" for number in range(1_001)]


@pytest.mark.parametrize("name", ["tags", "acl"])
def test_no_route_stores_more_than_is_searched(api: httpx2.Client, name: str):
    entry = api.post("/entries", json={"title": "Eintrag"}).json()["entry"]["id"]
    tries = [
        api.post("/entries", json={"title": "Viele", name: MANY}),
        api.post(
            f"/entries/{entry}/update",
            json={"title": "Viele", "content": "", "reason": "neu", name: MANY},
        ),
        api.post(f"/entries/{entry}/correct", json={"reason": "falsch", name: MANY}),
        api.post("/transactions", json={"operations": [REMEMBER | {name: MANY}]}),
    ]
    for answer in tries:
        assert answer.json()["key"] == "field.too_many", answer.text
        assert answer.json()["values"] == {"name": name, "count": 1_001, "limit": 1_000}
        assert answer.status_code == 400
