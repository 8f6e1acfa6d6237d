"""The shapes of credentials: those of today's vendors beside the detectors of detect-secrets.

Each rule is a text that any such credential contains, to look for first, and an expression for the
whole of it. Expressions are bounded: none looks further than a few hundred characters. The shapes
are those of their issuers' documentation.
"""

from __future__ import annotations

import re

#: Detectors of detect-secrets, by module. Left out are those whose time grows with the square of a
#: line (openai, jwt, npm), and those that take examples and prose for credentials (basic_auth,
#: private_key).
PLUGINS = {
    "artifactory": "ArtifactoryDetector",
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "discord": "DiscordBotTokenDetector",
    "mailchimp": "MailchimpDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
    "twilio": "TwilioKeyDetector",
}

_A = "[A-Za-z0-9]"
_W = "[A-Za-z0-9_-]"
_HEX = "[A-Fa-f0-9]"


def _token(*prefixes: str, body: str, least: int, most: int = 250) -> tuple[tuple[str, ...], str]:
    """A rule for a prefix with a body of some length behind it."""
    start = "|".join(map(re.escape, prefixes))
    return prefixes, rf"(?<![A-Za-z0-9])(?:{start}){body}{{{least},{most}}}"


#: Name: the texts one of which must be there, and the expression.
RULES: dict[str, tuple[tuple[str, ...], str]] = {
    # Models
    "Anthropic key": _token("sk-ant-", body=_W, least=20),
    "OpenAI key": _token("sk-proj-", "sk-svcacct-", "sk-admin-", body=_W, least=20),
    "OpenAI legacy key": (("T3BlbkFJ",), rf"sk-{_W}{{0,80}}?{_A}{{20}}T3BlbkFJ{_A}{{20}}"),
    "OpenRouter key": _token("sk-or-", body=_W, least=32),
    "secret key": _token("sk-", body=_A, least=32),
    "Groq key": _token("gsk_", body=_A, least=40),
    "xAI key": _token("xai-", body=_A, least=40),
    "Replicate token": _token("r8_", body=_A, least=30),
    "Perplexity key": _token("pplx-", body=_A, least=32),
    "Cerebras key": _token("csk-", body=_A, least=32),
    "Fireworks key": _token("fw_", body=_A, least=22),
    "NVIDIA key": _token("nvapi-", body=_W, least=40),
    "Hugging Face token": _token("hf_", body=_A, least=30),
    "LangSmith key": _token("lsv2_pt_", "lsv2_sk_", body="[a-z0-9_]", least=32),
    "Langfuse key": _token("sk-lf-", body="[a-f0-9-]", least=36),
    "Pinecone key": _token("pcsk_", body="[A-Za-z0-9_]", least=40),
    "ElevenLabs key": _token("sk_", body=_HEX, least=48),
    "Tavily key": _token("tvly-", body=_W, least=28),
    "Firecrawl key": _token("fc-", body=_HEX, least=32),
    # Code and packages
    "GitHub fine-grained token": _token("github_pat_", body="[A-Za-z0-9_]", least=22),
    "GitHub token": _token("ghp_", "gho_", "ghu_", "ghs_", "ghr_", body="[A-Za-z0-9_]", least=20),
    "GitLab token": _token(
        *("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "glcbt-", "glptt-", "glagent-"),
        body=_W,
        least=20,
    ),
    "npm token": (
        ("npm_", ":_authToken="),
        r"npm_[A-Za-z0-9]{36}|(?<=:_authToken=)[A-Fa-f0-9-]{36}",
    ),
    "Docker token": _token("dckr_pat_", "dckr_oat_", body=_W, least=20),
    "RubyGems key": _token("rubygems_", body=_HEX, least=40),
    "NuGet key": _token("oy2", body="[a-z0-9]", least=43, most=43),
    "Atlassian token": _token("ATATT3", "ATBB", body="[A-Za-z0-9_=-]", least=24),
    "CircleCI token": _token("CCIPAT_", body="[A-Za-z0-9_]", least=40),
    "Buildkite token": _token("bkua_", body=_HEX, least=40),
    "SonarQube token": _token("sqp_", "squ_", "sqa_", body=_HEX, least=40),
    "Sentry token": _token("sntrys_", "sntryu_", body="[A-Za-z0-9_=+/-]", least=40),
    # Clouds and infrastructure
    "Google API key": (("AIza",), r"AIza[0-9A-Za-z_-]{35}"),
    "Google OAuth secret": _token("GOCSPX-", body=_W, least=28),
    "Google access token": _token("ya29.", body=_W, least=30),
    "AWS secret key": (
        ("ecret", "ECRET"),
        r"(?i:aws[^\n]{0,20}secret[^\n]{0,12}?|secret[_ -]?(?:access[_ -]?)?key)\W{1,10}"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    "DigitalOcean token": _token("dop_v1_", "doo_v1_", "dor_v1_", body=_HEX, least=64),
    "Databricks token": _token("dapi", body=_HEX, least=32, most=34),
    "Vault token": _token("hvs.", "hvb.", "hvr.", body=_W, least=24),
    "Terraform token": ((".atlasv1.",), rf"{_A}{{14}}\.atlasv1\.{_W}{{60,70}}"),
    "Pulumi token": _token("pul-", body=_HEX, least=40),
    "Doppler token": _token("dp.pt.", "dp.st.", "dp.ct.", body="[A-Za-z0-9._-]", least=40),
    "Grafana token": _token("glc_", "glsa_", body="[A-Za-z0-9_+/=]", least=32),
    "Netlify token": _token("nfp_", body=_A, least=36),
    "Fly token": _token("fo1_", "fm1_", "fm2_", body="[A-Za-z0-9_+/=-]", least=40),
    "PlanetScale token": _token(
        "pscale_tkn_", "pscale_pw_", "pscale_oauth_", body="[A-Za-z0-9_.-]", least=32
    ),
    "Supabase token": _token("sbp_", "sb_secret_", body="[A-Za-z0-9_]", least=30),
    "New Relic key": _token("NRAK-", body="[A-Z0-9]", least=27),
    "Heroku key": _token("HRKU-", body=_W, least=36),
    "Tailscale key": _token("tskey-", body=_W, least=20),
    # Everything else
    "Shopify token": _token("shpat_", "shpss_", "shpca_", "shppa_", body="[A-Fa-f0-9]", least=32),
    "Linear key": _token("lin_api_", "lin_oauth_", body=_A, least=32),
    "Notion token": _token("ntn_", body=_A, least=40),
    "Airtable token": (("pat",), rf"(?<![A-Za-z0-9])pat{_A}{{14}}\.{_HEX}{{64}}"),
    "Figma token": _token("figd_", "figo_", body=_W, least=36),
    "Postman key": _token("PMAK-", body="[a-f0-9-]", least=50),
    "Slack token": (
        ("xox", "xapp-"),
        r"(?<![A-Za-z0-9])(?:xox[abeprs]|xapp)-[A-Za-z0-9-]{10,250}",
    ),
    "Stripe key": _token("sk_live_", "rk_live_", "whsec_", body=_A, least=24),
    "Square token": (
        ("EAAA", "sq0atp-"),
        rf"(?<![A-Za-z0-9])(?:EAAA{_W}{{60}}|sq0atp-{_W}{{22}})",
    ),
    "Mailgun key": _token("key-", body=_HEX, least=32, most=32),
    "Brevo key": _token("xkeysib-", "xsmtpsib-", body="[a-f0-9]", least=64),
    "Resend key": (("re_",), rf"(?<![A-Za-z0-9])re_{_A}{{8}}_{_A}{{20,24}}"),
    "Dropbox token": _token("sl.", body=_W, least=60),
    "age secret key": (("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{50,80}"),
    "JSON Web Token": (
        ("eyJ",),
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_=-]{8,400}\.[A-Za-z0-9_=-]{8,}+(?:\.[A-Za-z0-9_.+/=-]*+)?",
    ),
    "bearer token": (
        ("earer", "EARER"),
        r"(?i:\bbearer)[ \t:=]{1,4}[\"']?([A-Za-z0-9._~+/=-]{20,250})",
    ),
    "password in an address": (
        ("://",),
        r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s:/?#\[\]@]{0,100}:([^\s/?#\[\]@]{1,200})@"
        r"(?=[^\s@])",
    ),
}

#: A private key's first line; group 1 is what stands before it, group 2 behind it.
KEY_HEADER = re.compile(
    r"^(.{0,200}?)-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(.{0,400})"
)
#: How the text of a key begins, behind line ends that may be written out and header fields.
KEY_TEXT = re.compile(
    r"(?:\s|\\[rn]|[\"'>|]|[A-Za-z-]{2,20}: [^\n]{0,200}\n){0,40}[A-Za-z0-9+/=]{16}"
)

#: Words of examples. A credential is random: it has none of them between its marks.
EXAMPLES = frozenset(
    (
        *("example", "examples", "placeholder", "redacted", "changeme", "change", "dummy"),
        *("sample", "insert", "replace", "fake", "your", "yours", "here", "goes", "todo"),
        *("token", "secret", "password", "passwd", "apikey", "foobar", "deadbeef", "secretkey"),
    )
)
#: Passwords that stand for any, in addresses of documentation.
ANY_PASSWORD = frozenset(
    (
        *("pass", "password", "passwd", "passwort", "pw", "pwd", "secret", "token", "key"),
        *("changeme", "mypassword", "mypass", "user", "username", "admin", "root", "test"),
        *("postgres", "guest", "foo", "bar", "baz", "example", "redacted", "pat", "apikey"),
        *("api_key", "api-key", "your-password", "your_password", "db_password", "xxx"),
    )
)
# What stands for a credential in documentation.
PLACEHOLDER = re.compile(r"^(?:[xX*.…<>$_{}()\[\]%-]|EXAMPLE|example|REDACTED|changeme|your)+$")
