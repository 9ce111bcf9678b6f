"""Commands about the program and its home."""

from typing import Final

from damals.app.health.settings_checks import unreadable_settings
from damals.app.versions import program_versions
from damals.domain.errors import InvalidInput
from damals.interfaces.cli import options, types_views, views
from damals.interfaces.cli.output import put
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call

UNHEALTHY: Final = 7


@command("init", options.TIMEZONE)
def init(call: Call) -> None:
    """Make a home."""
    from damals.opening import init_home  # noqa: PLC0415 -- wiring is loaded when needed

    asked = call.session.options
    made = init_home(asked.home, asked.workspace, call.values.get("timezone"))
    call.show(made, views.initialized)


@command("config show")
def config_show(call: Call) -> None:
    """All settings with their origin."""
    call.show(call.session.settings().view(), views.settings)


@command("types check", options.VAULT)
def types_check(call: Call) -> None:
    """The types in force; a wrong file is refused."""
    from damals.bootstrap import show_types  # noqa: PLC0415 -- wiring is loaded when needed

    found = show_types(call.session.options.home, call.values.get("vault"))
    call.show(found, types_views.in_force)


@command("types schema")
def types_schema(call: Call) -> None:
    """The JSON schema of ``types.yaml``, for editors."""
    del call  # it is the same for everybody, and a document in any case
    from damals.bootstrap import types_schema as schema  # noqa: PLC0415 -- wiring is loaded when needed

    put(schema().rstrip("\n"))


@command("doctor", options.REPAIR)
def doctor(call: Call) -> int:
    """Health of every part; exit code 7 when a part is not well."""
    try:
        call.session.settings()
    except InvalidInput as error:
        if not error.key.startswith("settings."):
            raise
        found = unreadable_settings(error)
    else:
        with call.open() as memory:
            found = memory.doctor(**call.values)
    call.show(found, views.health)
    return 0 if found.ok else UNHEALTHY


@command("version")
def version_(call: Call) -> None:
    """Versions of the program and of what it stands on."""
    call.show(program_versions(), views.version)
