import { looksRandom, type Rule } from './rule.ts';

/** What stands where a secret would: a variable, a place-holder, or our own mark. */
const VARIABLE = String.raw`[$%{<*[]|\.\.\.`;
const KEYS = ['access_key', 'private_key', 'signing_key', 'encryption_key', 'master_key'];

/** `VARIABLE` may stand in the pattern. */
function rule(
  kind: string,
  anchors: readonly string[],
  { source, flags }: RegExp,
  extra: Partial<Rule> = {},
): Rule {
  return {
    kind,
    anchors,
    pattern: new RegExp(source.replaceAll('VARIABLE', VARIABLE), `${flags}dy`),
    ...extra,
  };
}

/** Passwords of documentation: to hide them protects nobody. */
const SAMPLE =
  /^(?:pass(?:word|wd)?|pwd?|secret|postgres|root|admin|test|example|guest|user|foo|bar|x+|p)\d{0,3}$/i;

function notASample(secret: string): boolean {
  return !SAMPLE.test(secret);
}

function mixed(secret: string): boolean {
  return /\d/.test(secret) && /[a-z]/i.test(secret);
}

/** Secrets which nothing but the words around them gives away. The group `secret` is what is hidden. */
export const CONTEXT_RULES: readonly Rule[] = [
  // RFC 7468, OpenSSH and PGP alike; with its end, or cut.
  rule(
    'private-key',
    ['-----begin '],
    /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?=(?:(?!-----)[\s\S]){0,300}?[A-Za-z0-9+/]{32})(?:(?:[^-]|-(?!----)){1,16000}-----END [A-Z0-9 ]{0,40}-----|[A-Za-z0-9+/=\s\\]{32,16000})/,
    { manyLines: true },
  ),
  rule(
    'aws-secret-key',
    ['aws_secret', 'secret_access_key', 'secretaccesskey'],
    /(?:aws_secret_access_key|aws_secret_key|secret_access_key|secretAccessKey)["']?\s{0,3}[:=]\s{0,3}["']?(?<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/i,
    { accept: (secret) => !secret.endsWith('EXAMPLEKEY') },
  ),
  rule(
    'aws-session-token',
    ['aws_session_token', 'sessiontoken'],
    /(?:aws_session_token|sessionToken)["']?\s{0,3}[:=]\s{0,3}["']?(?<secret>[A-Za-z0-9+/]{100,}={0,2})/i,
  ),
  rule(
    'authorization',
    ['authorization'],
    /authorization["']?\s{0,3}[:=]\s{0,3}["'`]?(?:Bearer|Basic|Token|ApiKey|Digest)\s{1,3}(?!VARIABLE)(?<secret>[\w.~+/=-]{8,})/i,
    { accept: mixed },
  ),
  rule('authorization', ['bearer '], /Bearer\s{1,3}(?!VARIABLE)(?<secret>[\w.~+/=-]{20,})/i, {
    accept: looksRandom,
  }),
  rule(
    'authorization',
    ['x-api-key', 'api-key'],
    /(?:x-)?api-key["']?\s{0,3}[:=]\s{0,3}["'`]?(?!VARIABLE)(?<secret>[\w.~+/=-]{16,400})/i,
    { accept: looksRandom },
  ),
  // RFC 3986, section 3.2.1. The user may be missing, as with Redis.
  rule(
    'url-password',
    ['://'],
    /:\/\/[^\s/@:"'`<>(){}[|\\]{0,100}:(?!VARIABLE)(?<secret>[^\s/@"'`<>{}|\\]{3,300})@[\w.[-]/,
    { accept: notASample },
  ),
  rule('url-token', ['://'], /:\/\/(?<secret>[\w-]{20,})@[\w.-]/, { accept: mixed }),
  rule(
    'query-key',
    ['key=', 'token=', 'secret=', 'sig=', 'signature='],
    /(?<=[?&][\w-]{0,30})\w+=(?!VARIABLE)(?<secret>[\w.%~+/-]{16,})/i,
    { accept: looksRandom },
  ),
  // ADO, JDBC, ODBC, and options of a command. `PWD` of a shell is a folder.
  rule(
    'password',
    ['password=', 'passwd=', 'pwd='],
    /(?<=[;?&\s"'-])(?!(?<![;?&-])pwd=["']?[~/])\w+=(?!VARIABLE)(?<secret>[^;&\s"'`(){}<>,]{6,200})(?=[;&\s"']|$)/i,
    { accept: (secret) => mixed(secret) && notASample(secret) },
  ),
  rule('azure-key', ['accountkey=', 'sharedaccesskey='], /\w+=(?<secret>[A-Za-z0-9+/]{43,}={0,2})/i),
  // `NAME=value` as in `.env` and in what `env` prints: a name in capitals, no spaces.
  rule(
    'env-secret',
    ['password', 'passwd', 'secret', 'token', 'api_key', 'apikey', '_pwd', '_pat', '_pass', ...KEYS],
    /(?<=(?:^|[\s"';])(?:[A-Z][A-Z0-9_]{0,40})?)(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|[A-Z]{4,10}_KEY|_PWD|_PAT|_PASS)(?:_[A-Z0-9_]{1,30})?=["']?(?!VARIABLE)(?<secret>[^\s"'`$<>{}()[\],;:/]{8,}|(?=[^\s"']*[+/])[A-Za-z0-9+/]{20,}={0,2})/,
    { accept: mixed },
  ),
  // `apiKey: "…"`, `"client_secret": "…"`, `token = '…'`.
  rule(
    'quoted-secret',
    [
      'password',
      'passwd',
      'secret',
      'token',
      'api_key',
      'apikey',
      'api-key',
      'privatekey',
      'credential',
      ...KEYS,
    ],
    /(?:password|passwd|secret|token|api[_-]?key|[a-z]{4,10}_?key|credential)\w{0,20}["']?\s{0,3}(?:=>|:=|[:=])\s{0,3}(?<quote>["'`])(?!VARIABLE|https?:|\/|\.)(?<secret>[\w+/=.~-]{16,300})\k<quote>/i,
    { accept: looksRandom },
  ),
  rule(
    'npm-auth',
    ['_authtoken', '_auth=', '_auth ', '_password'],
    /(?:_authToken|_auth|_password)\s{0,3}=\s{0,3}"?(?!VARIABLE)(?<secret>[\w.+/=-]{8,400})/,
    { accept: mixed },
  ),
  rule('docker-auth', ['"auth"'], /"auth"\s{0,3}:\s{0,3}"(?<secret>[A-Za-z0-9+/]{12,}={0,2})"/),
  rule(
    'netrc-password',
    ['password '],
    /(?<=\blogin\s{1,20}\S{1,100}\s{1,20})password\s{1,20}(?!VARIABLE)(?<secret>\S{4,200})/,
    { accept: notASample },
  ),
  rule(
    'slack-webhook',
    ['hooks.slack.com/'],
    /hooks\.slack\.com\/\w+\/(?<secret>[A-Z0-9]+\/[A-Z0-9]+\/[A-Za-z0-9]{20,})/,
  ),
  rule('discord-webhook', ['/api/webhooks/'], /\/api\/webhooks\/(?<secret>\d{15,}\/[\w-]{50,})/),
  rule('telegram-token', [':aa'], /(?<=(?<!\w)\d{8,10}):(?<secret>AA[\w-]{32,34})(?![\w-])/),
];
