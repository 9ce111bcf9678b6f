"""Calibrations: what was measured under a name, its drift, its trend, on both clocks."""

from fractions import Fraction
from uuid import UUID

import pytest

from damals.app.calibration_results import Calibration
from damals.app.wire import from_wire, to_wire
from damals.domain.access import Principal
from damals.domain.calibration import Reading, in_unit, number
from damals.errors import InvalidInput, NotFound


def measure(memory, day: str | None, value: object, unit: str | None = "%", **more) -> str:
    said = {"name": "Bias", "value": value} | ({"unit": unit} if unit else {})
    bounds = {} if day is None else {"valid_from": day}
    return memory.remember(
        f"Bias {day} {value}", type="calibration", properties=said, **bounds, **more
    ).id


def values(found) -> list[tuple[str, float]]:
    return [(one.at[:10], one.value) for one in found.readings]


def test_values_come_in_the_order_in_which_they_hold(memory, clock):
    clock.to("2024-06-01")
    measure(memory, "2024-03-01", 3)
    measure(memory, "2024-01-01", "1.5")
    measure(memory, "2024-02-01", 2.25)
    found = memory.calibration("bias")
    assert values(found) == [("2024-01-01", 1.5), ("2024-02-01", 2.25), ("2024-03-01", 3.0)]
    assert (found.name, found.unit) == ("bias", "%")


def test_drift_is_from_the_first_value_to_now_or_between_two_instants(memory, clock):
    clock.to("2024-06-01")
    for day, value in (("2024-01-01", 10), ("2024-02-01", 12), ("2024-04-01", 9.5)):
        measure(memory, day, value)
    drift = memory.calibration("Bias").drift
    assert (drift.before.value, drift.after.value, drift.change) == (10.0, 9.5, -0.5)
    drift = memory.calibration("Bias", start="2024-01-15", end="2024-03-31").drift
    assert (drift.before.value, drift.after.value, drift.change) == (10.0, 12.0, 2.0)
    before = memory.calibration("Bias", start="2023-12-31", end="2024-02-01").drift
    assert (before.before, before.after.value, before.change) == (None, 12.0, None)
    edge = memory.calibration("Bias", start="2024-01-31T23:59:59Z", end="2024-02-01").drift
    assert edge.change == 2.0


def test_drift_on_the_other_clock_is_between_what_was_known(memory, clock):
    clock.to("2024-02-01")
    bias = measure(memory, "2024-01-01", 10)
    clock.to("2024-04-01")
    memory.correct(bias, properties={"name": "Bias", "value": 11, "unit": "%"}, reason="Skala")
    clock.to("2024-05-01")
    drift = memory.calibration("Bias", start="2024-03-01", end="2024-04-15", axis="known").drift
    assert (drift.before.value, drift.after.value, drift.change) == (10.0, 11.0, 1.0)
    world = memory.calibration("Bias", start="2024-03-01", end="2024-04-15").drift
    assert world.change == 0.0
    assert memory.calibration("Bias", axis="known").drift.change == 1.0


def test_every_pair_of_instants_gives_what_was_given_then(memory, clock):
    clock.to("2024-02-01")
    measure(memory, "2024-01-01", 1)
    clock.to("2024-03-01")
    measure(memory, "2024-02-15", 2)
    clock.to("2024-04-01")
    assert values(memory.calibration("Bias", known_at="2024-02-15")) == [("2024-01-01", 1.0)]
    assert values(memory.calibration("Bias", as_of="2024-02-01")) == [("2024-01-01", 1.0)]
    assert len(memory.calibration("Bias").readings) == 2


def test_the_trend_has_a_slope_with_its_error_and_a_95_percent_interval(memory, clock):
    clock.to("2024-02-01")
    for day, value in zip(range(1, 6), (2, 4, 5, 4, 5), strict=True):
        measure(memory, f"2024-01-0{day}", value)
    trend = memory.calibration("Bias").trend
    assert (trend.count, trend.degrees, trend.slope) == (5, 3, 0.6)
    assert trend.standard_error == pytest.approx(0.2828427125)
    assert trend.low == pytest.approx(0.6 - 3.182446305 * 0.2828427125)
    assert trend.high == pytest.approx(0.6 + 3.182446305 * 0.2828427125)
    assert trend.direction == "none"  # zero lies inside


@pytest.mark.parametrize(
    ("series", "direction"),
    [((1, 2, 3, 4), "rising"), ((4, 3, 2, 1), "falling"), ((2, 2, 2), "none"), ((1, 9, 1), "none")],
)
def test_a_trend_rises_or_falls_only_when_zero_is_outside_of_its_interval(
    memory, clock, series, direction
):
    clock.to("2024-02-01")
    for day, value in enumerate(series, start=1):
        measure(memory, f"2024-01-0{day}", value)
    assert memory.calibration("Bias").trend.direction == direction


@pytest.mark.parametrize("count", [1, 2])
def test_fewer_than_three_values_have_no_trend_and_say_so(memory, clock, count):
    clock.to("2024-02-01")
    for day in range(1, count + 1):
        measure(memory, f"2024-01-0{day}", day)
    found = memory.calibration("Bias")
    assert found.trend is None
    assert found.caveats == (
        f"Too few values for a trend ({count}): three are the fewest that say how sure it is.",
    )


def test_values_of_one_instant_have_no_trend_and_say_so(memory, clock):
    clock.to("2024-02-01")
    for value in (1, 2, 3):
        measure(memory, "2024-01-01", value)
    found = memory.calibration("Bias")
    assert found.trend is None
    assert found.caveats == ("All values are of one instant, so they have no trend.",)


def test_mixed_units_are_refused_until_one_is_chosen(memory, clock):
    clock.to("2024-02-01")
    measure(memory, "2024-01-01", 1, "%")
    measure(memory, "2024-01-02", 2, "ms")
    measure(memory, "2024-01-03", 3, None)
    with pytest.raises(InvalidInput) as raised:
        memory.calibration("Bias")
    assert (raised.value.key, raised.value.values["units"]) == ("calibration.units", "%, -, ms")
    assert values(memory.calibration("Bias", unit="ms")) == [("2024-01-02", 2.0)]


def test_one_value_in_another_unit_is_left_out_and_named(memory, clock):
    clock.to("2024-02-01")
    for day, value in enumerate((1, 2, 3), 1):
        measure(memory, f"2024-01-0{day}", value, "g")
    measure(memory, "2024-01-04", 90, "%")
    measure(memory, "2024-01-05", 7, None)
    found = memory.calibration("Bias")
    assert values(found) == [("2024-01-01", 1.0), ("2024-01-02", 2.0), ("2024-01-03", 3.0)]
    assert (found.unit, found.drift.after.value) == ("g", 3.0)
    assert [one.title for one in found.left_out] == ["Bias 2024-01-04 90", "Bias 2024-01-05 7"]
    said = "2 left out, since they cannot be told in the unit g: "
    assert found.caveats == (f"{said}Bias 2024-01-04 90 (%), Bias 2024-01-05 7 (-)",)


def test_units_of_one_measure_are_told_in_the_one_that_most_values_have(memory, clock):
    clock.to("2024-02-01")
    measure(memory, "2024-01-01", 1, "g")
    measure(memory, "2024-01-02", 1300, "mg")
    measure(memory, "2024-01-03", "1.1", "g")
    found = memory.calibration("Bias")
    assert (found.unit, [one.value for one in found.readings]) == ("g", [1.0, 1.3, 1.1])
    assert {one.unit for one in found.readings} == {"g"}
    assert found.caveats == ("1 converted to g: Bias 2024-01-02 1300",)
    assert found.left_out == ()
    small = memory.calibration("Bias", unit="mg")
    assert (small.unit, [one.value for one in small.readings]) == ("mg", [1000.0, 1300.0, 1100.0])
    assert small.drift.change == 100.0


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("Mg", None), ("kilo", 2000.0), ("KG", 2000.0), ("Gramm", 2.0), ("ml", None), ("?", None)],
)
def test_only_what_a_unit_surely_is_is_converted(unit: str, expected: float | None):
    made = in_unit(Reading(UUID(int=1), "t", 0, Fraction(2), unit, 0), "g")
    assert (None if made is None else float(made.value)) == expected


def test_a_value_that_was_in_another_unit_once_is_converted_for_its_drift(memory, clock):
    clock.to("2024-02-01")
    bias = measure(memory, "2024-01-01", 1, "s")
    clock.to("2024-04-01")
    memory.correct(bias, properties={"name": "Bias", "value": 900, "unit": "ms"}, reason="genauer")
    clock.to("2024-05-01")
    asked = {"start": "2024-03-01", "end": "2024-04-15", "axis": "known"}
    drift = memory.calibration("Bias", **asked).drift
    assert (drift.before.value, drift.after.value, drift.change) == (1000.0, 900.0, -100.0)


def test_a_drift_between_values_of_two_units_is_refused_until_one_is_chosen(memory, clock):
    clock.to("2024-02-01")
    bias = measure(memory, "2024-01-01", 10, "%")
    clock.to("2024-04-01")
    said = {"name": "Bias", "value": 900, "unit": "ms"}
    memory.correct(bias, properties=said, reason="in Millisekunden")
    clock.to("2024-05-01")
    asked = {"start": "2024-03-01", "end": "2024-04-15", "axis": "known"}
    with pytest.raises(InvalidInput) as raised:
        memory.calibration("Bias", **asked)
    assert (raised.value.key, raised.value.values["units"]) == ("calibration.units", "%, ms")
    drift = memory.calibration("Bias", unit="ms", **asked).drift
    assert (drift.before, drift.after.value, drift.after.unit) == (None, 900.0, "ms")


def test_every_reading_names_its_unit(memory, clock):
    clock.to("2024-02-01")
    measure(memory, "2024-01-01", 1)
    [one] = memory.calibration("Bias").readings
    assert one.unit == "%"


def test_an_unknown_name_is_not_found_and_the_known_ones_are_named(memory, clock):
    clock.to("2024-02-01")
    measure(memory, "2024-01-01", 1)
    with pytest.raises(NotFound) as raised:
        memory.calibration("Streuung")
    assert (raised.value.key, raised.value.values["known"]) == ("calibration.unknown", "Bias")
    with pytest.raises(InvalidInput) as raised:
        memory.calibration(" ")
    assert raised.value.key == "field.empty"
    with pytest.raises(InvalidInput):
        memory.calibration("Bias", axis="quer")


def test_other_types_and_retracted_values_do_not_count(memory, clock):
    clock.to("2024-02-01")
    memory.remember("Bias", properties={"name": "Bias", "value": 9})
    wrong = measure(memory, "2024-01-01", 99)
    measure(memory, "2024-01-02", 1)
    memory.retract(wrong, reason="falsch gemessen")
    assert values(memory.calibration("Bias")) == [("2024-01-02", 1.0)]


def test_values_that_took_over_from_each_other_are_a_series_and_a_cut_measures_nothing(
    memory, clock
):
    clock.to("2024-06-01")
    first = measure(memory, "2024-01-01", 1, key="bias")
    said = {"name": "Bias", "value": 5, "unit": "%"}
    march = {"valid_from": "2024-03-01", "valid_to": "2024-04-01"}
    memory.update(first, "Bias im März", "", reason="r", properties=said, **march)
    assert values(memory.calibration("Bias")) == [("2024-01-01", 1.0), ("2024-03-01", 5.0)]


def test_an_imprecise_or_unknown_start_counts_from_when_it_surely_holds_and_says_so(memory, clock):
    clock.to("2024-05-01")
    measure(memory, "2024-02", 1)
    measure(memory, "unknown", 2)
    found = memory.calibration("Bias")
    assert [(one.at[:10], one.uncertain) for one in found.readings] == [
        ("2024-03-01", True),
        ("2024-05-01", True),
    ]
    assert found.caveats[-1] == (
        "Of some values it is not known exactly since when they hold; the latest instant counts."
    )


def test_what_is_no_number_is_left_out_and_named(memory, clock):
    clock.to("2024-02-01")
    measure(memory, "2024-01-01", "hoch")
    measure(memory, "2024-01-02", "")
    measure(memory, "2024-01-03", 1)
    found = memory.calibration("Bias")
    assert values(found) == [("2024-01-03", 1.0)]
    assert {one.title for one in found.left_out} == {"Bias 2024-01-01 hoch", "Bias 2024-01-02"}
    assert found.caveats[1].startswith("2 left out, since their value is no number: ")


def test_a_number_that_cannot_be_used_is_left_out_for_what_it_is(memory, clock):
    clock.to("2024-02-01")
    measure(memory, "2024-01-01", 1e308)
    measure(memory, "2024-01-02", "1,500")
    measure(memory, "2024-01-03", "0,5")
    found = memory.calibration("Bias")
    assert values(found) == [("2024-01-03", 0.5)]
    comma, size = found.caveats[1:]
    assert comma == (
        "1 left out, since the comma in their value may part thousands or decimals: "
        "Bias 2024-01-02 1,500"
    )
    assert size == (
        "1 left out, since their value is beyond ±1e100, which cannot be compared: "
        "Bias 2024-01-01 1e+308"
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, Fraction(1)), (0.1, Fraction(1, 10)), ("0.10", Fraction(1, 10)), ("-2", Fraction(-2)),
        ("\N{MINUS SIGN}2", Fraction(-2)), ("1e3", Fraction(1000)), (" 7 ", Fraction(7)),
        ("1,5", Fraction(3, 2)), ("-0,250", Fraction(-1, 4)), ("12,3456", Fraction(7716, 625)),
        ("1,5e2", Fraction(150)), ("1,500", None), ("1,500,000", None), ("1.500,5", None),
        ("1,000.5", None), (",5", None), ("1.5%", None), ("", None), (None, None), (True, None),
        ([1], None), ("nan", None), ("inf", None), ("1e999", None), (float("inf"), None),
        (1e308, None), ("٣", None),
    ],
)  # fmt: skip
def test_a_value_is_read_exactly_as_it_is_written_or_not_at_all(value, expected):
    assert number(value) == expected


def test_a_title_names_a_calibration_that_names_none(memory, clock):
    clock.to("2024-02-01")
    memory.remember("Streuung", type="calibration", properties={"value": 3})
    assert len(memory.calibration("STREUUNG").readings) == 1


def test_a_guest_is_told_nothing_of_hidden_values(memory, clock):
    clock.to("2024-02-01")
    measure(memory, "2024-01-01", 1)
    measure(memory, "2024-01-02", 2, "geheim", visibility="restricted")
    guest = memory.under(Principal("bob"))
    found = guest.calibration("Bias")
    assert (values(found), found.unit) == ([("2024-01-01", 1.0)], "%")
    measure(memory, "2024-01-02", 2, "x", visibility="restricted", tags=["t"])
    with pytest.raises(NotFound) as raised:
        guest.calibration("Geheim")
    assert raised.value.values["known"] == "Bias"


def test_a_calibration_can_be_read_back_from_its_json(memory, clock):
    clock.to("2024-02-01")
    for day, value in enumerate((1, 2.5, 3), start=1):
        measure(memory, f"2024-01-0{day}", value)
    found = memory.calibration("Bias")
    assert from_wire(Calibration, to_wire(found)) == found
