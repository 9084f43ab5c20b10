#!/bin/sh
# Resolve pyproject.toml with all extras in an empty environment and write the exact versions to requirements.lock.
set -eu
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --upgrade pip
"$work/venv/bin/pip" install --quiet "torch==2.13.0" ".[ui,demo,tesseract,dev]" setuptools
{
    echo "# Exact versions of everything that Kesit is tested with. Written by \`make lock\`; installed by \`make\`."
    "$work/venv/bin/pip" freeze --all --exclude kesit --exclude pip --exclude opencv-python |
        sed -e 's/+cpu$//' | grep -v -i -E '^(nvidia-|triton|cuda-)' | LC_ALL=C sort -f
} >"$work/lock"
grep -q '^opencv-python-headless==' "$work/lock" ||
    "$work/venv/bin/pip" freeze | sed -n 's/^opencv-python==/opencv-python-headless==/p' >>"$work/lock"
mv "$work/lock" requirements.lock
