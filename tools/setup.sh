#!/bin/sh
# Make the virtual environment $1 exactly what requirements.lock says. Run by `make`; safe to run again.
set -eu
venv=$1
python=${PYTHON:-python3}

"$python" - <<'PY' || exit 1
import sys
if not (3, 11) <= sys.version_info < (3, 14):
    sys.exit(f"Kesit needs Python 3.11 to 3.13; {sys.executable} is {sys.version.split()[0]}. Set PYTHON=python3.12, say.")
PY
if [ ! -x "$venv/bin/python" ]; then
    echo "making the virtual environment $venv"
    "$python" -m venv "$venv" || {
        echo "no virtual environment could be made; on Debian: apt-get install python3-venv" >&2
        exit 1
    }
fi
pip="$venv/bin/python -m pip --disable-pip-version-check --quiet"
echo "setting up $venv: about 900 MB to download the first time, 4 to 15 minutes"
# torch brings what its build for this platform needs; everything else is in the lock, so nothing is resolved anew.
# The lock names opencv-python-headless only: opencv-python is the same code, and needs libraries of a desktop.
echo "1 of 3: torch (the largest part)"
$pip install --constraint requirements.lock torch
echo "2 of 3: the other libraries of requirements.lock ($(grep -c '==' requirements.lock))"
$pip install --no-deps --requirement requirements.lock
echo "3 of 3: kesit itself"
$pip install --no-deps --no-build-isolation --editable .

if command -v tesseract >/dev/null 2>&1; then
    missing=""
    for language in tur deu eng; do
        tesseract --list-langs 2>/dev/null | grep -qx "$language" || missing="$missing $language"
    done
    [ -z "$missing" ] || echo "Tesseract lacks:$missing (optional second OCR engine; on Debian: apt-get install tesseract-ocr-tur tesseract-ocr-deu)"
else
    echo "Tesseract is not installed (optional second OCR engine; on Debian: apt-get install tesseract-ocr tesseract-ocr-tur tesseract-ocr-deu)"
fi
