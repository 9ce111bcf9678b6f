"""Times in questions over HTTP: ``times`` as in Python, and instants that are given stand."""

SAID = "Wo saß die Müller GmbH im April 2026?"


def test_a_question_says_when_unless_it_is_told_not_to(api):
    api.post("entries", json={"title": "Müller GmbH", "valid_from": "2024-01-01"})
    read = api.post("recall", json={"query": SAID}).json()["understood"]
    assert read["from_text"] == read["as_of_text"] == "im April 2026"
    off = api.post("recall", json={"query": SAID, "times": "off"}).json()["understood"]
    assert off["from_text"] is None
    assert api.post("recall", json={"query": SAID, "times": "perhaps"}).status_code in (400, 422)


def test_the_route_for_an_instant_reads_nothing_from_the_question(api):
    api.post("entries", json={"title": "Müller GmbH", "valid_from": "2024-01-01"})
    body = {"query": "Was wussten wir am 14. März 2020 über Müller?", "as_of": "2025-01-01"}
    answer = api.post("recall-at-time", json=body).json()
    assert answer["understood"]["from_text"] is None
    assert len(answer["results"]) == 1
