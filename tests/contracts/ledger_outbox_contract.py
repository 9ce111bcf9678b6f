"""What every ledger must tell indexes, whatever it is made of."""

from uuid import uuid5

from ledger_driver import CREATED, Driver, id_of, instant, remember, update

from damals.app.ledger_model import Access
from damals.domain.operations import Correct, Retract


class OutboxContract:
    """The contract of that part of the port ``Ledger`` which indexes follow."""

    def test_chunks_are_read_by_point(self, driver: Driver):
        driver.do("2024-01-10", remember("a", content="Eins.\n\nZwei.", tags=["t"]))
        (item,) = driver.ledger.outbox("i", 10)
        assert [c.text for c in item.opened] == ["Eins.", "Zwei."]
        with driver.reading() as reader:
            wanted = item.opened[1]
            nobody = uuid5(wanted.point_id, "nobody")
            assert reader.chunks([wanted.point_id, nobody]) == {wanted.point_id: wanted}
        assert set(driver.ledger.current_points()) == {c.point_id for c in item.opened}

    def test_the_outbox_tells_what_each_transaction_opened_and_closed(self, driver: Driver):
        driver.ledger.create_workspace("other", "UTC", CREATED)
        driver.do("2024-01-10", remember("a", content="Eins.\n\nZwei."))
        Driver(driver.ledger, "other").do("2024-01-10", remember("z"))
        driver.do("2024-01-11", Correct("a", {"content": "Eins.\n\nDrei."}))
        driver.do("2024-01-12", Retract("a"))
        items = driver.ledger.outbox("i", 10)
        assert [item.workspace for item in items] == ["w", "other", "w", "w"]
        assert [item.number for item in items] == [1, 1, 2, 3]
        assert [[c.text for c in item.opened] for item in items] == [
            ["Eins.", "Zwei."],
            ["About z."],
            ["Drei."],
            [],
        ]
        one, two = (c.point_id for c in items[0].opened)
        three = items[2].opened[0].point_id
        assert dict(items[2].closed) == {two: instant("2024-01-11")}
        assert dict(items[3].closed) == dict.fromkeys((one, three), instant("2024-01-12"))

    def test_the_outbox_gives_a_bounded_amount_but_at_least_one_item(self, driver: Driver):
        for place in range(1, 4):
            content = "\n\n".join(f"Absatz {n}." for n in range(4))
            driver.do(f"2024-01-1{place}", remember(f"n{place}", content=content))
        assert len(driver.ledger.outbox("i", 1)) == 1
        assert len(driver.ledger.outbox("i", 8)) == 2
        assert len(driver.ledger.outbox("i", 100)) == 3

    def test_the_outbox_can_be_read_ahead_of_the_cursor_but_never_behind_it(self, driver: Driver):
        ledger = driver.ledger
        for place in range(1, 4):
            driver.do(f"2024-01-1{place}", remember(f"n{place}"))
        first, second, third = ledger.outbox("i", 10)
        assert ledger.outbox("i", 1, first.position) == [second]
        assert ledger.outbox("i", 10, second.position) == [third]
        assert ledger.outbox("i", 10, third.position) == []
        ledger.advance("i", second.position, [])
        assert ledger.outbox("i", 10, first.position) == [third]

    def test_an_index_follows_with_a_cursor_of_its_own(self, driver: Driver):
        ledger = driver.ledger
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-01-11", remember("b"))
        first, second = ledger.outbox("i", 10)
        points = [c.point_id for item in (first, second) for c in item.opened]
        ledger.advance("i", first.position, points[:1])
        assert ledger.outbox("i", 10) == [second]
        assert ledger.outbox("j", 10) == [first, second]
        ledger.advance("i", second.position, points)
        ledger.advance("i", first.position, [])
        assert ledger.outbox("i", 10) == []
        assert [chunk.text for _, chunk in ledger.queue("i", 10)] == ["About b.", "About a."]
        assert [name for name, _ in ledger.queue("i", 1)] == ["w"]
        assert ledger.queue("j", 10) == []
        lag = ledger.lag("i")
        assert (lag.transactions, lag.vectors) == (0, 2)
        ledger.dequeue("i", points[1:])
        assert [chunk.text for _, chunk in ledger.queue("i", 10)] == ["About a."]

    def test_lag_counts_per_workspace(self, driver: Driver):
        ledger = driver.ledger
        ledger.create_workspace("other", "UTC", CREATED)
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-01-11", remember("b"))
        (first, _) = ledger.outbox("i", 10)
        ledger.advance("i", first.position, [first.opened[0].point_id])
        counted = {name: ledger.lag("i", name) for name in ("w", "other", None)}
        assert {n: (lag.transactions, lag.vectors) for n, lag in counted.items()} == {
            "w": (1, 1),
            "other": (0, 0),
            None: (1, 1),
        }

    def test_a_restarted_index_gets_everything_again(self, driver: Driver):
        ledger = driver.ledger
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-01-11", Retract("a"))
        items = ledger.outbox("i", 10)
        ledger.advance("i", items[-1].position, [items[0].opened[0].point_id])
        ledger.restart("i")
        again = ledger.outbox("i", 10)
        assert again == items
        assert ledger.queue("i", 10) == []
        assert again[0].opened[0].recorded_to == instant("2024-01-11")

    def test_the_outbox_tells_who_may_see_each_entry_now(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b", acl=["carol", "bob", "bob"]))
        driver.do("2024-01-11", remember("c", visibility="public"))
        driver.do("2024-01-12", Correct("a", {"sensitivity": 2}))
        first, second, third = driver.ledger.outbox("i", 10)
        assert first.access == {
            id_of("a"): Access(sensitivity=2),
            id_of("b"): Access(acl=("bob", "carol")),
        }
        assert second.access == {id_of("c"): Access("public")}
        assert third.access == {}

    def test_the_outbox_names_whose_access_a_transaction_changed(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcde"))
        driver.do(
            "2024-01-11",
            Correct("a", {"visibility": "restricted"}),
            Correct("b", {"sensitivity": 1}),
            Correct("c", {"acl": ("bob",)}),
            Correct("d", {"content": "Other words."}),
            remember("f", acl=["bob"]),
        )
        driver.do("2024-01-12", Correct("c", {"acl": ("bob", "bob")}), Retract("e"))
        driver.do("2024-01-13", Correct("b", {"sensitivity": 3}))
        items = driver.ledger.outbox("i", 10)
        assert [dict(item.changed_access) for item in items] == [
            {},
            {
                id_of("a"): Access("restricted"),
                id_of("b"): Access(sensitivity=3),
                id_of("c"): Access(acl=("bob",)),
            },
            {},
            {id_of("b"): Access(sensitivity=3)},
        ]
        assert {chunk.entry_id for chunk in items[1].opened} == {id_of("d"), id_of("f")}
        assert items[3].opened == ()

    def test_an_entry_in_several_periods_changes_its_access_once(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-01-11", update("b", "a", valid_from="2024-03-01", valid_to="2024-04-01"))
        driver.do("2024-01-12", Correct("a", {"visibility": "public"}))
        changed = [dict(item.changed_access) for item in driver.ledger.outbox("i", 10)]
        assert changed == [{}, {}, {id_of("a"): Access("public")}]

    def test_an_index_that_is_whole_up_to_its_cursor_holds_that_many_points(self, driver: Driver):
        ledger = driver.ledger
        ledger.create_workspace("other", "UTC", CREATED)
        driver.do("2024-01-10", remember("a", content="Eins.\n\nZwei."))
        Driver(ledger, "other").do("2024-01-11", remember("z"))
        driver.do("2024-01-12", Retract("a"), remember("b"))
        counted = [ledger.indexed("i")]
        for item in ledger.outbox("i", 10):
            ledger.advance("i", item.position, [])
            counted.append(ledger.indexed("i"))
        assert counted == [0, 2, 3, 4]
        assert ledger.indexed("j") == 0
        ledger.restart("i")
        assert ledger.indexed("i") == 0
