"""`[schedule]` and `[alerts]`: when the estate is scanned, and who hears of failures."""

import re
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator

from pipeline.config.values import ENV, OF_ENVIRONMENT, Section

_CRON_FIELDS = 5


class ScheduleConfig(Section):
    cron: str = Field(default="0 2 * * *", description="When the estate is scanned for changes.")
    timezone: str = Field(default="UTC", description="Time zone of the schedule.")
    max_age_hours: int = Field(
        default=0,
        ge=0,
        description="Dagster shows the live index as stale when no night has confirmed it for so long; 0: never.",
    )

    @field_validator("cron")
    @classmethod
    def _five_fields(cls, value: str) -> str:
        if len(value.split()) != _CRON_FIELDS:
            raise ValueError("must be five fields: minute, hour, day, month, day of week")
        return value

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError("must be a time zone such as UTC or Europe/Istanbul") from None
        return value


class AlertsConfig(Section):
    webhook: str = Field(
        default="",
        description='Address that failures are posted to, as JSON; "env:NAME": it stands in that environment variable.',
    )

    @field_validator("webhook")
    @classmethod
    def _address(cls, value: str) -> str:
        if value and not re.fullmatch(rf"{OF_ENVIRONMENT}|https?://.+", value):
            raise ValueError(
                f'must be an address that begins with https:// or http://, or "{ENV}" and the name of an environment variable'
            )
        return value
