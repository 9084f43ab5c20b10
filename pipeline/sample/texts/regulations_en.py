"""English regulations: information security, gifts and hospitality."""

from datetime import date

from pipeline.sample.regulations import Regulation, ask_regulation

SECURITY_MEMO = "memos/security-reminder-incident-reporting.docx"

SECURITY = Regulation(
    code="REG-EN-01",
    slug="information-security-regulation",
    lang="en",
    title="Information Security Regulation",
    suffix=".docx",
    values={
        "length": ("ten", "twelve", "fourteen"),
        "lock": ("fifteen", "ten", "five"),
        "report": ("24", "12", "4"),
        "backup": ("30", "60", "90"),
        "patch": ("30", "14", "7"),
        "logs": ("six", "twelve", "eighteen"),
        "guest": ("a week", "three days", "one day"),
        "review": ("yearly", "twice a year", "every quarter"),
    },
    articles=(
        (
            "Scope",
            "(1) This regulation binds everyone who uses the computers, networks or data of the Bristol site, including contractors and temporary staff.",
        ),
        (
            "Definitions",
            "(1) A security incident is any event that puts the confidentiality, integrity or availability of company data in doubt, whether or not damage is proven.",
            "(2) The data owner is the head of the department in which the data first arise.",
        ),
        (
            "Passwords",
            "(1) A password has at least {length} characters and is never shared, not even with the service desk.",
            "(2) Passwords are changed when there is reason to believe that they are known to others; routine changes are not required.",
        ),
        (
            "Unattended devices",
            "(1) Screens lock by themselves after {lock} minutes without input.",
            "(2) Laptops left in a car must be out of sight and switched off.",
        ),
        (
            "Reporting incidents",
            "(1) Whoever notices a security incident reports it to the duty officer within {report} hours.",
            "(2) A person who reports in good faith a mistake of their own will not be disciplined for it.",
            "(3) Evidence is preserved: the affected machine stays powered on but is unplugged from the network.",
        ),
        (
            "Updates",
            "(1) Critical patches are installed within {patch} days of release; if that is impossible the system is isolated.",
        ),
        (
            "Backups",
            "(1) Daily backups are kept for {backup} days, one copy of them in a different building.",
            "(2) Restoring is rehearsed at least once every six months.",
        ),
        (
            "Removable media",
            "(1) Only encrypted sticks issued by the service desk may be connected. Sticks found on the premises are handed in unopened.",
        ),
        (
            "Access rights",
            "(1) Rights follow the task, not the person, and are reviewed {review} by the data owner.",
            "(2) Accounts of leavers are closed by the end of their last working day.",
            "(3) Guest access to the wireless network expires after {guest}.",
        ),
        (
            "Logging",
            "(1) Security logs are retained for {logs} months and may be read only in the presence of the data protection officer.",
        ),
        (
            "Suppliers",
            "(1) A supplier who handles company data proves every two years, by certificate or audit, that its controls match this regulation.",
        ),
    ),
    added=(
        (
            "Use of generative assistants",
            "(1) Customer drawings and source code must not be pasted into public chat assistants; the internal assistant may be used for both.",
        ),
    ),
)

GIFTS = Regulation(
    code="REG-EN-02",
    slug="gifts-and-hospitality-regulation",
    lang="en",
    title="Gifts and Hospitality Regulation",
    suffix=".md",
    values={
        "gift": ("£25", "£40", "£50"),
        "meal": ("£60", "£80", "£100"),
        "register": ("ten", "seven", "five"),
        "donation": ("£500", "£1,000", "£2,500"),
        "year": ("£100", "£120", "£150"),
    },
    articles=(
        (
            "Principle",
            "(1) Nobody may accept or offer anything that could influence a business decision or could look to an outsider as if it did.",
        ),
        (
            "Gifts",
            "(1) A gift worth up to {gift} may be accepted without approval; several gifts from one source in a year may not exceed {year} together.",
            "(2) Cash, vouchers and anything that can be turned into money are refused whatever their value.",
        ),
        (
            "Hospitality",
            "(1) A business meal is acceptable up to {meal} per person, provided that the host attends.",
            "(2) Invitations that include partners or overnight stays need the written consent of the compliance officer.",
        ),
        (
            "Public officials",
            "(1) Public officials receive nothing beyond refreshments during a meeting.",
        ),
        (
            "Register",
            "(1) Everything above the limits, accepted or declined, is entered in the gifts register within {register} working days.",
            "(2) The register is open to internal audit at any time.",
        ),
        (
            "Returning gifts",
            "(1) A gift that cannot be returned without giving offence is handed to the works canteen for the Christmas raffle.",
        ),
        (
            "Donations and sponsoring",
            "(1) Donations above {donation} are decided by the management board; donations to political parties are excluded.",
        ),
        (
            "Breaches",
            "(1) A breach may lead to a warning, to dismissal and to a claim for damages.",
        ),
    ),
    added=(
        (
            "Prizes at trade fairs",
            "(1) A prize won in a draw at a trade fair counts as a gift from the organiser and falls under the same limit.",
        ),
    ),
)

REGULATIONS = (SECURITY, GIFTS)

_2020 = date(2020, 6, 15)
_2024 = date(2024, 9, 1)

QUESTIONS = (
    ask_regulation(SECURITY, "en", "current", "How long does my login secret have to be these days?", "A password has at least {length} characters", weight=3),
    ask_regulation(SECURITY, "en", "as_of", "What was the minimum password length in mid-2020?", "A password has at least {length} characters", as_of=_2020, weight=2),
    ask_regulation(SECURITY, "en", "current", "I think my account was hacked. How quickly do I have to tell someone?", "reports it to the duty officer within {report} hours", weight=3, also=(SECURITY_MEMO,)),
    ask_regulation(SECURITY, "de", "cross_lingual", "Nach wie vielen Minuten sperrt sich in Bristol der Bildschirm automatisch?", "Screens lock by themselves after {lock} minutes without input", weight=2),
    ask_regulation(SECURITY, "tr", "cross_lingual", "Bristol'da günlük yedekler kaç gün saklanıyor?", "Daily backups are kept for {backup} days", weight=2),
    ask_regulation(SECURITY, "tr", "as_of", "2024'te İngiltere'deki kurala göre kritik yamalar kaç gün içinde kurulmalıydı?", "Critical patches are installed within {patch} days of release", as_of=_2024),
    ask_regulation(SECURITY, "en", "definition", "What exactly counts as a security incident?", "any event that puts the confidentiality, integrity or availability of company data in doubt"),
    ask_regulation(SECURITY, "en", "fact", "I found a USB key in the car park. What should I do with it?", "Sticks found on the premises are handed in unopened"),
    ask_regulation(SECURITY, "en", "fact", "Will I get into trouble if I own up to having clicked on a phishing link?", "A person who reports in good faith a mistake of their own will not be disciplined for it", also=(SECURITY_MEMO,)),
    ask_regulation(SECURITY, "de", "cross_lingual", "Darf man in England Kundenzeichnungen in einen öffentlichen KI-Chatbot kopieren?", "must not be pasted into public chat assistants"),
    ask_regulation(SECURITY, "en", "as_of", "For how long were security logs stored under the rules valid in September 2024?", "Security logs are retained for {logs} months", as_of=_2024),
    ask_regulation(GIFTS, "en", "current", "A supplier wants to send me a hamper. Up to what value can I just take it?", "A gift worth up to {gift} may be accepted without approval", weight=3),
    ask_regulation(GIFTS, "en", "as_of", "What was the value limit for presents from suppliers in 2020?", "A gift worth up to {gift} may be accepted without approval", as_of=_2020, weight=2),
    ask_regulation(GIFTS, "de", "cross_lingual", "Wie teuer darf ein Geschäftsessen in Bristol pro Kopf sein?", "A business meal is acceptable up to {meal} per person", weight=2),
    ask_regulation(GIFTS, "tr", "cross_lingual", "İngiltere'de bir kamu görevlisine hediye verebilir miyiz?", "Public officials receive nothing beyond refreshments during a meeting"),
    ask_regulation(GIFTS, "en", "as_of", "Within how many days did gifts have to be registered in autumn 2024?", "is entered in the gifts register within {register} working days", as_of=_2024),
    ask_regulation(GIFTS, "en", "fact", "Can I accept an Amazon voucher worth ten pounds?", "Cash, vouchers and anything that can be turned into money are refused whatever their value"),
    ask_regulation(GIFTS, "de", "fact", "Wer entscheidet in Bristol über größere Spenden?", "Donations above {donation} are decided by the management board"),
)  # fmt: skip
