import re
import tomllib
from pathlib import Path

import pytest

from pipeline.config import CONFIG_ENV, Config, ConfigError, load_config, parse_config

COLLECTION = '[[collections]]\nname = "contracts"\nsource = "estate"\n'


@pytest.fixture
def load(tmp_path):
    def load_text(text):
        file = tmp_path / "kesit.toml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_config(file)

    return load_text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[chunking]\nmax_token = 5\n",
            "chunking.max_token: unknown key; allowed here: classes, max_tokens, min_tokens, options, overlap, percentile, prefix, prefix_template, strategy, tables, warn_under_floor",
        ),
        (
            "[chunkin]\nmax_tokens = 5\n",
            "chunkin: unknown key; allowed here: alerts, chunking, collections, ",
        ),
        ("[chunking]\nmax_tokens = 5\n", "chunking.max_tokens = 5: must be greater than or equal to 32"),
        ('[chunking]\nmax_tokens = "many"\n', "chunking.max_tokens = 'many': must be a valid integer"),
        ("[chunking]\nmax_tokens = 99.5\n", "chunking.max_tokens = 99.5: must be a valid integer"),
        ("[lake]\nroot = 5\n", "lake.root = 5: must be a valid string"),
        ('lake = "data"\n', "lake = 'data': must be a table"),
        ('[parsing]\nocr = "abbyy"\n', "parsing.ocr = 'abbyy': must be 'rapidocr' or 'tesseract'"),
        ("[dedup]\nthreshold = nan\n", "dedup.threshold = nan: must be a finite number"),
        ("[retrieval]\ntext_weight = inf\n", "retrieval.text_weight = inf: must be a finite number"),
        ("[embedding]\nmodels = []\n", "embedding.models = []: must not be empty"),
        (
            '[figures]\napi_key_variable = "env:KEY"\n',
            "figures.api_key_variable: must be the bare name of an environment variable, without env: or $",
        ),
        (
            '[context]\napi_key_variable = "sk-hush"\n',
            "context.api_key_variable: must be the bare name of an environment variable",
        ),
        (
            '[parsing]\npasswords_variable = "$KEYS"\n',
            "parsing.passwords_variable: must be the bare name of an environment variable",
        ),
        (
            '[alerts]\nwebhook = "$HOOK"\n',
            "alerts.webhook = '$HOOK': must be an address that begins with https:// or http://, or \"env:\" and",
        ),
        (
            "[evaluation]\nmin_recall_at_5 = 0.8\n",
            "evaluation.min_recall_at_5 = 0.8: nothing is measured without evaluation.questions; name a file",
        ),
        (
            '[evaluation]\nfloors = { "lang=tr" = 0.5 }\n',
            "evaluation.floors = {'lang=tr': 0.5}: nothing is measured without evaluation.questions; name a file",
        ),
        (
            "[[gate.thresholds]]\nflag_below = 0.9\n",
            "gate.thresholds.0: must name a language, a document_class or both",
        ),
        (
            '[[gate.thresholds]]\nlanguage = "de"\n',
            "gate.thresholds.0: must give flag_below, reject_below or both",
        ),
        ("[dedup]\nseed = 4294967296\n", "dedup.seed = 4294967296: must be less than 4294967296"),
        (
            '[evaluation]\nfloors = { "language=tr" = 0.5 }\n',
            "evaluation.floors.language=tr = 'language=tr': must be lang=, pair=, kind=, class= or tabular= and a value",
        ),
        (
            '[figures]\nendpoint = "http://h:port/v1"\n',
            "figures.endpoint = 'http://h:port/v1': Port could not be cast",
        ),
        (
            '[figures]\nendpoint = "http://h:99999"\n',
            "figures.endpoint = 'http://h:99999': Port out of range",
        ),
        ('[figures]\nendpoint = "http://h/v1#x"\n', "figures.endpoint = 'http://h/v1#x': must hold no user"),
        ('[figures]\nendpoint = "http://h/a b"\n', "figures.endpoint = 'http://h/a b': must hold no spaces"),
        ('[embedding]\nmodels = "a"\n', "embedding.models = 'a': must be an array"),
        ('[embedding]\nmodels = ["a", 7]\n', "embedding.models.1 = 7: must be a valid string"),
        (
            '[schedule]\ntimezone = "Mars/Base"\n',
            "schedule.timezone = 'Mars/Base': must be a time zone such as",
        ),
        ('[schedule]\ntimezone = ""\n', "schedule.timezone = '': must be a time zone such as"),
        ('[schedule]\ncron = "at night"\n', "schedule.cron = 'at night': must be five fields"),
        # what two keys say together
        ("[gate]\nreject_below = 0.9\n", "gate: reject_below (0.9) must not exceed flag_below (0.7)"),
        (
            '[[gate.thresholds]]\nlanguage = "de"\nreject_below = 0.9\n',
            "gate: reject_below (0.9) must not exceed flag_below (0.7) for de",
        ),
        (
            '[gate]\nthresholds = [{ document_class = "memo", flag_below = 0.9 }, { language = "de", flag_below = 0.9 }, { document_class = "memo", flag_below = 0.8 }]\n',
            "gate: thresholds.0 and thresholds.2 are both for memo: make them one",
        ),
        ('[lake]\nroot = "a\\u0000b"\n', "lake.root: must hold no NUL character"),
        (
            '[embedding]\nmodels = ["a\\u0000b"]\n',
            "embedding.models.0: must hold no NUL character",
        ),
        (
            "[chunking]\nmax_tokens = 64\nmin_tokens = 64\n",
            "chunking: min_tokens (64) must be below max_tokens (64)",
        ),
        (
            "[chunking.classes.contract]\nmax_token = 64\n",
            "chunking.classes.contract.max_token: unknown key; allowed here: max_tokens, min_tokens, options",
        ),
        (
            "[chunking.classes.contracts]\nmax_tokens = 64\n",
            "chunking.classes.contracts = 'contracts': must be 'regulation', 'contract'",
        ),
        (
            '[chunking]\nstrategy = "magic"\n',
            "chunking.strategy = 'magic': unknown strategy; allowed: fixed, recursive, sentence",
        ),
        (
            '[chunking.classes.memo]\nstrategy = "magic"\n',
            "chunking: classes.memo.strategy: unknown strategy; allowed: fixed, recursive, sentence",
        ),
        ("[index]\nrollback_days = 36501\n", "index.rollback_days = 36501: must be less than or equal to"),
        (
            "[retrieval]\ncandidates = 10001\n",
            "retrieval.candidates = 10001: must be less than or equal to 10000",
        ),
        (
            "[retrieval]\ntext_weight = 1e300\n",
            "retrieval.text_weight = 1e+300: must be less than or equal to 100",
        ),
        (
            "[retrieval]\nrecency_boost = 1e300\n",
            "retrieval.recency_boost = 1e+300: must be less than or equal to 100",
        ),
        (
            "[retrieval.encoder_weights]\ne5_small = 101\n",
            "retrieval.encoder_weights.e5_small = 101: must be less than or equal to 100",
        ),
        ('[embedding]\nmodels = ["a", "a"]\n', "embedding: models ['a', 'a'] must be distinct"),
        (
            '[lake]\nroot = "estate/lake"\n',
            "lake.root = 'estate/lake': must not lie inside the source of collection 'contracts'",
        ),
        ('[index]\nroot = "x/../estate"\n', "index.root = 'x/../estate': must not lie inside the source"),
        (
            '[parsing]\npasswords_file = "estate/passwords.txt"\n',
            "parsing.passwords_file = 'estate/passwords.txt': must not lie inside the source of collection 'contracts'",
        ),
        (
            '[evaluation]\nquestions = "estate/gold.jsonl"\n',
            "evaluation.questions = 'estate/gold.jsonl': must not lie inside the source of collection 'contracts'",
        ),
    ],
)
def test_a_wrong_setting_is_one_line(load, tmp_path, text, message):
    with pytest.raises(ConfigError) as error:
        load(text + COLLECTION)
    line = str(error.value)
    assert line.startswith(f"{tmp_path / 'kesit.toml'}: {message}")
    assert "\n" not in line
    assert "more)" not in line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "collections: is required"),
        ("collections = []", "collections = []: must not be empty"),
        ('collections = "estate"', "collections = 'estate': must be an array"),
        ('[collections]\nname = "a"\nsource = "b"', "collections: must be an array"),
        ('[[collections]]\nname = "a"', "collections.0.source: is required"),
        (
            '[[collections]]\nname = "a"\nsorce = "b"',
            "collections.0.sorce: unknown key; allowed here: acl_groups",
        ),
        (
            '[[collections]]\nname = "A b"\nsource = "s"',
            "collections.0.name = 'A b': must be lower-case letters, digits, - and _",
        ),
        ('[[collections]]\nname = "a.b"\nsource = "s"', "collections.0.name = 'a.b': must be lower-case"),
        (
            COLLECTION + "nmae = 1",
            "collections.0.nmae: unknown key; allowed here: acl_groups, authority, buckets",
        ),
        (
            COLLECTION + 'languages = ["tr", "fr"]',
            "collections.0.languages.1 = 'fr': must be 'tr', 'de' or 'en'",
        ),
        (COLLECTION + "acl_groups = []", "collections.0.acl_groups = []: must not be empty"),
        (COLLECTION + 'acl_groups = [""]', "collections.0.acl_groups.0 = '': must not be empty"),
        (COLLECTION + 'acl_groups = "legal"', "collections.0.acl_groups = 'legal': must be an array"),
        (COLLECTION + "buckets = 0\n", "collections.0.buckets = 0: must be greater than or equal to 1"),
        (COLLECTION + COLLECTION, "the name 'contracts' is used by two collections"),
        (
            COLLECTION + COLLECTION.replace("contracts", "b") + "authority = 101",
            "collections.1.authority = 101: must be less",
        ),
    ],
)
def test_a_wrong_collection_is_one_line(load, tmp_path, text, message):
    with pytest.raises(ConfigError, match=f"^{re.escape(f'{tmp_path}/kesit.toml: {message}')}.*$"):
        load(text)


def test_further_errors_are_counted(load):
    with pytest.raises(ConfigError, match=r"chunking\.prefx: unknown key; .* \(and 2 more\)$"):
        load("[chunking]\nmax_tokens = 5\nprefx = 1\n[gate]\nflag_below = 2\n" + COLLECTION)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_tokens = \n", r"Invalid value \(at line 1, column 14\)"),
        ("a = 1\na = 2\n", r".*overwrite.*\(at line 2"),
        (b"\xff\xfe\x00", r".*can't decode byte"),
    ],
)
def test_what_is_no_toml_says_where(load, tmp_path, text, message):
    with pytest.raises(ConfigError, match=f"^{re.escape(str(tmp_path))}/kesit.toml: {message}.*$"):
        load(text)


def test_a_missing_file_says_how_to_get_one(tmp_path):
    with pytest.raises(ConfigError, match=r"^.*/none\.toml: no such file; `kesit init` writes one$"):
        load_config(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="directory"):
        load_config(tmp_path)


def test_only_collections_are_mandatory(load):
    config = load(COLLECTION)
    assert config.chunking.max_tokens == 320
    assert config.collection("contracts").acl_groups == ("public",)
    with pytest.raises(ConfigError, match="'other' is not configured; there are: contracts"):
        config.collection("other")


def test_a_byte_order_mark_is_no_fault(load):
    assert load(b"\xef\xbb\xbf" + COLLECTION.encode()).collections[0].name == "contracts"


def test_relative_paths_start_at_the_file(load, tmp_path, monkeypatch):
    config = load(COLLECTION)
    monkeypatch.chdir("/")
    assert config.base == tmp_path
    assert config.resolve("data/lake") == str(tmp_path / "data/lake")
    assert config.resolve("/data/lake") == "/data/lake"
    assert config.resolve("s3://bucket/lake") == "s3://bucket/lake"


def test_a_relative_configuration_file_is_made_absolute(tmp_path, monkeypatch):
    (tmp_path / "kesit.toml").write_text(COLLECTION)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(CONFIG_ENV, raising=False)
    config = load_config()
    monkeypatch.chdir("/")
    assert config.resolve("x") == str(tmp_path / "x")


def test_the_environment_names_the_file(tmp_path, monkeypatch):
    file = tmp_path / "other.toml"
    file.write_text(COLLECTION)
    monkeypatch.setenv(CONFIG_ENV, str(file))
    assert load_config().base == tmp_path
    with pytest.raises(ConfigError, match=r"given\.toml: no such file"):
        load_config("given.toml")


def test_a_lake_on_a_store_or_beside_the_source_is_fine(load):
    load('[lake]\nroot = "s3://estate/lake"\n[index]\nroot = "estate-index"\n' + COLLECTION)


def test_a_configuration_cannot_be_changed_by_accident(load):
    config = load(COLLECTION)
    with pytest.raises(ValueError, match="frozen"):
        config.chunking.max_tokens = 5


def test_every_setting_explains_itself():
    def fields(model):
        for name, field in model.model_fields.items():
            inner = [
                a
                for a in (field.annotation, *getattr(field.annotation, "__args__", ()))
                if hasattr(a, "model_fields")
            ]
            if inner:
                yield from fields(inner[0])
            else:
                yield name, field.description

    assert [name for name, description in fields(Config) if not description] == []


def test_parse_config_names_its_origin():
    with pytest.raises(ConfigError, match=r"^a dictionary: collections: is required$"):
        parse_config({}, base=Path("/x"), origin="a dictionary")
    assert parse_config(tomllib.loads(COLLECTION), base=Path("/x")).resolve("a") == "/x/a"


def test_a_source_inside_another_one_is_refused(tmp_path: Path) -> None:
    # The outer collection would show the inner one's documents to its own groups.
    raw = {
        "collections": [
            {"name": "docs", "source": "docs"},
            {"name": "hr", "source": "docs/hr", "acl_groups": ["hr"]},
        ]
    }
    with pytest.raises(ConfigError, match=r"source of collection 'hr' = 'docs/hr': must not lie inside"):
        parse_config(raw, base=tmp_path)


def test_a_lake_reached_through_a_link_is_seen_to_lie_inside_a_source(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "store").symlink_to(tmp_path / "docs")
    raw = {"collections": [{"name": "a", "source": "docs"}], "lake": {"root": "store/lake"}}
    with pytest.raises(ConfigError, match=r"lake.root = 'store/lake': must not lie inside"):
        parse_config(raw, base=tmp_path)


def test_thresholds_of_a_page(load):
    gate = load(
        COLLECTION
        + """[gate]
        thresholds = [
          { language = "de", document_class = "memo", flag_below = 0.9 },
          { document_class = "memo", flag_below = 0.8, reject_below = 0.2 },
          { language = "de", flag_below = 0.6, reject_below = 0.3 },
        ]
        """
    ).gate
    assert gate.limits("en", "policy") == gate.limits(None, None) == (0.7, 0.45)
    assert gate.limits("de", "policy") == (0.6, 0.3)
    assert gate.limits("en", "memo") == (0.8, 0.2)
    assert gate.limits("de", "memo") == (0.9, 0.2)
    assert (gate.of_class("memo"), gate.of_class("policy")) == ("memo", "")


def test_paths_of_the_parser_are_relative_to_the_file(load, tmp_path):
    parsing = '[parsing]\nlayout = "docling"\npasswords_file = "keys/a"\nartifacts_path = "/models"\n'
    config = load(parsing + COLLECTION)
    assert config.parsing.passwords_file == str(tmp_path / "keys" / "a")
    assert config.parsing.artifacts_path == "/models"
    assert config.base == tmp_path
    assert load(COLLECTION).parsing.passwords_file == ""
