"""What every ledger must tell of where versions come from, and of who holds a key."""

from ledger_driver import Driver, at, id_of, remember

from damals.domain.operations import End, Erase, Retract
from damals.domain.parsing import parse_end, parse_start
from damals.domain.periods import OPEN_END, Period
from damals.domain.zones import load_zone


class HistoryContract:
    """The part of the contract of histories and of keys."""

    def test_a_history_has_only_the_operations_that_recorded_what_it_tells(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref, key=f"k{ref}") for ref in "xaby"), reason="all")
        driver.do("2024-01-11", Retract("x"), End("a", "2024-05-01"), Retract("y"), reason="less")
        with driver.reading() as reader:
            for told in (
                reader.history(id_of("a"), at("2024-02-01")),
                reader.key_history("ka", at("2024-02-01")),
            ):
                assert [[one.kind for one in stored.operations] for _, stored in told] == [
                    ["remember"],
                    ["end"],
                ]
                assert [found.version.operation for found, _ in told] == [0, 0]
                assert [stored.reason for _, stored in told] == ["all", "less"]

    def test_a_history_tells_no_reason_that_may_be_of_what_was_erased(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("x"), reason="both")
        driver.do("2024-01-11", End("a", "2024-05-01"), reason="own")
        driver.do("2024-01-12", Erase("x"))
        with driver.reading() as reader:
            told = reader.history(id_of("a"), at("2024-02-01"))
            assert [stored.reason for _, stored in told] == [None, "own"]

    def test_whoever_holds_a_key_is_asked_for_by_period(self, driver: Driver):
        driver.do("2024-01-10", remember("a", "2024-01", valid_to="2024-03", key="k"))
        driver.do("2024-01-11", remember("b", "2024-03", valid_to="2024-05-01", key="k"))
        asked = {
            ("2023", "2024-01-01"): "",
            ("2023", "2024-01-15"): "a",
            ("2024-02-01", "2024-02-02"): "a",
            ("2024-02-01", "2024-03-02"): "ab",
            ("2024-03-15", "2024-03-16"): "ab",
            ("2024-03-31", None): "ab",
            ("2024-04-01", "2024-04-02"): "b",
            ("2024-05-01", None): "",
        }
        zone = load_zone("UTC")
        with driver.ledger.write("w") as writer:
            for (start, end), refs in asked.items():
                until = OPEN_END if end is None else parse_end(end, zone=zone, now=0)
                period = Period(parse_start(start, zone=zone, now=0), until)
                found = [state.id for state in writer.holding_key("k", period)]
                assert found == sorted(map(id_of, refs)), (start, end)
