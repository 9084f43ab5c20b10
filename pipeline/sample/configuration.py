"""The `kesit.toml` that fits the sample estate."""

_TEXT = """\
# Kesit on its sample estate: a pump maker with sites in İzmir, Leipzig and Bristol.
# Every other key has a default; `kesit init` shows them all.

[lake]
root = "data/lake"                    # the Parquet tables: a folder or any fsspec URL

[index]
root = "data/index"                   # the LanceDB tables and the live pointer

# One source system each. `buckets` is its number of partitions; an estate of many thousand documents wants more.
[[collections]]
name = "regulations"                  # numbered articles in editions 2019, 2023, 2026
source = "data/estate/regulations"
buckets = 2
acl_groups = ["public"]
authority = 90                        # what counts when the same passage stands in several places

[[collections]]
name = "policies"                     # policies, manuals, pages of the intranet
source = "data/estate/policies"
buckets = 1
acl_groups = ["public"]
authority = 70

[[collections]]
name = "contracts"                    # a folder for each client
source = "data/estate/contracts"
buckets = 1
acl_groups = ["legal"]                # only the legal department, unless a document says otherwise
authority = 60

[[collections]]
name = "memos"                        # `board`, `legal` and `hr` below it are closed by their `_defaults.toml`
source = "data/estate/memos"
buckets = 1
acl_groups = ["public"]
authority = 40

[[collections]]
name = "finance"                      # price lists, workbooks, slides; salary bands for hr only
source = "data/estate/finance"
buckets = 1
acl_groups = ["public"]
authority = 60

[[collections]]
name = "scans"                        # paper: letters, certificates, faxes
source = "data/estate/scans"
buckets = 1
acl_groups = ["public"]
authority = 50

[[collections]]
name = "chats"                        # transcripts and mails
source = "data/estate/chats"
buckets = 1
acl_groups = ["public"]
authority = 20

[embedding]
models = ["use-multilingual", "e5-small"]   # one vector column each; the first alone is quicker, together they find more

[evaluation]
questions = "data/questions.jsonl"    # decides whether a build goes live
"""


def sample_config() -> str:
    """The text of a commented `kesit.toml` for the sample estate in `data/estate/`, relative to that file."""
    return _TEXT
