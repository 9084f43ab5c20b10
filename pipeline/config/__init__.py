"""Every setting of Kesit, typed. `load_config` is the one way in; an unknown key or a bad value is one line."""

from pipeline.config.chunking import ChunkingConfig, DedupConfig
from pipeline.config.context import ContextConfig
from pipeline.config.environment import from_environment, variable
from pipeline.config.errors import ConfigError, UserError, plain_message
from pipeline.config.estate import CollectionConfig, with_secrets
from pipeline.config.index import IndexConfig
from pipeline.config.loading import CONFIG_ENV, config_path, load_config, parse_config
from pipeline.config.reading import FiguresConfig, GateConfig, ParsingConfig
from pipeline.config.retrieval import EvaluationConfig, RetrievalConfig
from pipeline.config.schedule import ScheduleConfig
from pipeline.config.service import ServiceConfig
from pipeline.config.values import (
    CRITERIA,
    LANGUAGES,
    OVERLAPPING,
    PROSE_STRATEGIES,
    STRATEGY_GROUP,
    UNDECLARED,
    UNKNOWN,
    Criterion,
    DocumentClass,
    Language,
    Section,
)
from pipeline.config.whole import Config

__all__ = [
    "CONFIG_ENV", "CRITERIA", "LANGUAGES", "OVERLAPPING", "PROSE_STRATEGIES", "STRATEGY_GROUP", "UNDECLARED", "UNKNOWN",
    "ChunkingConfig", "CollectionConfig", "Config", "ConfigError", "ContextConfig", "Criterion", "DedupConfig",
    "DocumentClass", "EvaluationConfig", "FiguresConfig", "GateConfig", "IndexConfig", "Language", "ParsingConfig", "RetrievalConfig",
    "ScheduleConfig", "Section", "ServiceConfig", "UserError",
    "config_path", "from_environment", "load_config", "parse_config", "plain_message", "variable", "with_secrets",
]  # fmt: skip
