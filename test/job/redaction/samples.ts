/** One row a rule: what it must find, and what looks much like it and is none. Made up, and never in one piece. */
export interface Samples {
  readonly hits: readonly string[];
  readonly misses: readonly string[];
}

const HEX = '0f9a3c7be1d24586';
const hex = (length: number): string => HEX.repeat(Math.ceil(length / HEX.length)).slice(0, length);
const MIX = 'aB3dE6gH9jK2mN5pQ8sT';
const mix = (length: number): string => MIX.repeat(Math.ceil(length / MIX.length)).slice(0, length);
const upper = (length: number): string => 'AB3DE6GH7JK2MN5PQ4ST'.repeat(9).slice(0, length);
const words = (length: number): string => 'somewordsoftext'.repeat(9).slice(0, length);
/** As a shell or a template names one. */
const variable = (name: string): string => `\${${name}}`;
const pem = (name: string): string =>
  [`-----BEGIN ${name}-----`, mix(64), mix(64), mix(20), `-----END ${name}-----`].join('\n');

export const SAMPLES: Readonly<Record<string, Samples>> = {
  'anthropic-key': {
    hits: [`sk-ant-${'api03'}-${mix(90)}AA`],
    misses: ['sk-ant-api03-', 'task-ant-colony-optimisation-code'],
  },
  'openrouter-key': { hits: [`sk-or-${'v1'}-${hex(64)}`], misses: ['sk-or-v1-', 'risk-or-reward'] },
  'openai-key': {
    hits: [`sk-${'proj'}-${mix(48)}`, `sk-${mix(48)}`, `sk-${'svcacct'}-${mix(40)}`, `sk-${hex(32)}`],
    misses: [`sk-${words(40)}`, 'disk-0123456789012345678901234567890123456789', 'sk-fading-circle'],
  },
  'groq-key': { hits: [`gsk_${mix(52)}`], misses: ['gsk_settings_get_default'] },
  'xai-key': { hits: [`xai-${mix(80)}`], misses: ['xai-explanations'] },
  'perplexity-key': { hits: [`pplx-${mix(48)}`], misses: ['pplx-api'] },
  'replicate-token': { hits: [`r8_${mix(37)}`], misses: ['r8_register', `bar8_${mix(37)}`] },
  'huggingface-token': {
    hits: [`hf_${mix(34)}`],
    misses: [`hf_${words(34)}`, 'hf_model_name_or_path_of_the_model', 'hf_short'],
  },
  'aws-key-id': {
    hits: [`AKIA${upper(16)}`, `ASIA${upper(16)}`],
    misses: ['AKIA', `AKIAIOSFODNN7${'EXAMPLE'}`, `akia${words(16)}`],
  },
  'google-api-key': { hits: [`AIza${mix(35)}`], misses: [`AIza${mix(36)}x`, 'AIza'] },
  'google-oauth': { hits: [`GOCSPX-${mix(28)}`, `ya29.${mix(60)}`], misses: ['GOCSPX-short', 'ya29.a'] },
  'github-token': {
    hits: [`ghp_${mix(36)}`, `gho_${mix(36)}`, `ghs_${mix(36)}`, `github_pat_${mix(22)}_${mix(59)}`],
    misses: ['ghp_x', 'ghs_token_from_the_app', 'github_pat_example', `highp_${mix(36)}`],
  },
  'gitlab-token': {
    hits: [`glpat-${mix(20)}`, `glrt-${mix(20)}`],
    misses: ['glpat-', 'glft-fourier-transform-in-words'],
  },
  'npm-token': {
    hits: [`npm_${mix(36)}`],
    misses: ['npm_config_registry', 'npm_lifecycle_event', `npm_${mix(20)}`],
  },
  'pypi-token': { hits: [`pypi-AgEIcHlwaS5vcmc${mix(60)}`], misses: ['pypi-publish', 'pypi-AgE'] },
  'rubygems-token': { hits: [`rubygems_${hex(48)}`], misses: ['rubygems_version'] },
  'slack-token': {
    hits: [`xoxb-${'123456789012'}-${mix(24)}`, `xapp-1-A${upper(10)}-${'1234567890123'}-${hex(64)}`],
    misses: ['xoxb-', 'xoxo-hugs-and-kisses-to-all-of-you'],
  },
  'stripe-key': {
    hits: [`sk_live_${mix(24)}`, `rk_test_${mix(24)}`, `whsec_${mix(32)}`],
    misses: ['sk_test_', `whsec_${words(34)}`, 'task_test_abcdefghijklmnopqrstuvwxyz'],
  },
  'sendgrid-key': { hits: [`SG.${mix(22)}.${mix(43)}`], misses: ['SG.js', `MSG.${mix(22)}.${mix(43)}`] },
  'mailgun-key': {
    hits: [`key-${hex(32)}`],
    misses: [`key-${hex(31)}`, `key-${hex(33)}`, `monkey-${hex(32)}`],
  },
  'digitalocean-token': { hits: [`dop_v1_${hex(64)}`], misses: ['dop_v1_', `dop_v1_${hex(63)}`] },
  'shopify-token': { hits: [`shpat_${hex(32)}`], misses: ['shpat_token'] },
  'vault-token': { hits: [`hvs.${mix(90)}`], misses: ['hvs.read', `hvs.${words(30)}`] },
  'age-key': { hits: [`AGE-SECRET-KEY-1${upper(58)}`], misses: ['AGE-SECRET-KEY-1'] },
  'databricks-token': { hits: [`dapi${hex(32)}`], misses: [`dapi${hex(33)}`, 'dapibus'] },
  'linear-key': { hits: [`lin_api_${mix(40)}`], misses: ['lin_api_url'] },
  'notion-token': { hits: [`ntn_${mix(46)}`], misses: ['ntn_x'] },
  'figma-token': { hits: [`figd_${mix(40)}`], misses: ['figd_'] },
  'postman-key': { hits: [`PMAK-${hex(24)}-${hex(34)}`], misses: ['PMAK-'] },
  jwt: {
    hits: [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${mix(43)}`],
    misses: ['eyJhbGciOiJIUzI1NiJ9', 'eyJ.eyJ.x', `heyJude12345.eyJ12345678.${mix(12)}`],
  },
  'private-key': {
    hits: [
      pem('PRIVATE KEY'),
      pem('RSA PRIVATE KEY'),
      pem('OPENSSH PRIVATE KEY'),
      pem('PGP PRIVATE KEY BLOCK'),
      JSON.stringify(pem('EC PRIVATE KEY')),
      pem('ENCRYPTED PRIVATE KEY').slice(0, 120),
    ],
    misses: [
      pem('CERTIFICATE'),
      pem('PUBLIC KEY'),
      "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return true;",
      '-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----',
    ],
  },
  'aws-secret-key': {
    hits: [`aws_secret_access_key = ${mix(40)}`, `"secretAccessKey": "${mix(38)}/+"`],
    misses: [
      `aws_secret_access_key = ${variable('SECRET')}`,
      `aws_secret_access_key = ${mix(39)}`,
      'secretAccessKey: config.secret',
    ],
  },
  'aws-session-token': { hits: [`aws_session_token=${mix(200)}==`], misses: ['aws_session_token=abc'] },
  authorization: {
    hits: [
      `Authorization: Bearer ${mix(12)}`,
      `"authorization": "Basic ${'dXNlcjpodW50ZXIy'}"`,
      `curl -H 'Bearer ${mix(30)}'`,
      `x-api-key: ${mix(20)}`,
    ],
    misses: [
      'Authorization: Bearer $TOKEN',
      `headers.authorization = 'Bearer ${variable('key')}'`,
      'Authorization: Bearer <your token here>',
      "authorization: 'Bearer your-token-here'",
      'the bearer of this letter is a friend of mine',
      "'x-api-key': process.env.ANTHROPIC_API_KEY1",
    ],
  },
  'url-password': {
    hits: [
      'postgres://app:hunter2x@db.internal:5432/app',
      'redis://:s3cretpw@cache:6379',
      'mongodb+srv://me:Tr0ub4dor@cluster0.example.net/?retryWrites=true',
      'https://ci:glXyz12345@git.example.com/a.git',
      'http://me:p%40ssw0rd@proxy:3128',
    ],
    misses: [
      'postgres://postgres:postgres@localhost/test',
      'https://user:password@example.com',
      `https://${variable('user')}:${variable('password')}@host`,
      'https://<user>:<password>@host',
      'http://localhost:3000/@scope/name',
      'see https://example.com:8080/a, mail me@example.com',
      'ssh://git@host.example.com:22/a',
    ],
  },
  'url-token': {
    hits: [`https://${mix(40)}@git.example.com/a.git`],
    misses: ['https://someone-with-a-long-name@example.com', 'https://git@host/a'],
  },
  'query-key': {
    hits: [`https://h/x?api_key=${mix(24)}`, `https://h/x?a=1&access_token=${mix(32)}`],
    misses: [
      'https://h/x?key=value',
      'https://h/x?api_key=YOUR_API_KEY_HERE_PLEASE',
      'https://h/x?api_key=$KEY',
    ],
  },
  password: {
    hits: [
      'Server=db;User Id=sa;Password=Tr0ub4dor&3;',
      'mysql --password=hunter2x',
      'jdbc:x://h/d?user=a&password=b4dpass9',
      'Server=h;Pwd=/hunter2x',
      ' pwd=hunter2x',
    ],
    misses: [
      '--password=$PASSWORD',
      'SHLVL=1\nPWD=/tmp/job-7/work\nOLDPWD=/home/u1/project',
      'declare -x PWD="/tmp/job-7/work"',
      'pwd=~/job7/work make',
      'connect(password=get_password(1))',
      '?password=test',
      '--password=password1',
    ],
  },
  'azure-key': {
    hits: [`AccountKey=${mix(86)}==`, `SharedAccessKey=${mix(43)}=`],
    misses: ['AccountKey=<key>'],
  },
  'env-secret': {
    hits: [
      'DB_PASSWORD=hunter2hunter',
      `OPENAI_API_KEY=${mix(20)}`,
      'export GH_PAT="abc123def"',
      'A=1\nSECRET_KEY_BASE=q1w2e3r4t5',
    ],
    misses: [
      'MAX_TOKENS=4096',
      'TOKENIZERS_PARALLELISM=false',
      `API_KEY=${variable('OPENAI_API_KEY1')}`,
      'API_KEY=changeme',
      'TOKEN=<token1234>',
      'const API_KEY = readKey2();',
      'PASSWORD=',
      'SSH_PRIVATE_KEY=/home/me/.ssh/id_ed25519',
    ],
  },
  'quoted-secret': {
    hits: [
      `apiKey: '${mix(24)}'`,
      `"client_secret": "${hex(32)}"`,
      `token = "${mix(20)}"`,
      `db_password => '${mix(16)}'`,
    ],
    misses: [
      "tokenUrl: 'https://auth.example.com/oauth2/v2/token'",
      "secretName: 'my-app-secret-v2-production'",
      "apiKey: 'your-api-key-goes-right-here'",
      "token: 'someLongCamelCaseTokenName2'",
      'token = sha256(value1 + value2 + value3)',
      `password: '${variable('PASSWORD_1')}'`,
    ],
  },
  'npm-auth': {
    hits: ['//registry.example.com/:_authToken=abc123def456', '_auth = dXNlcjpodW50ZXIy'],
    misses: [`//registry.example.com/:_authToken=${variable('NPM_TOKEN1')}`, 'npm_config__auth=token'],
  },
  'docker-auth': {
    hits: ['{"auths":{"h":{"auth":"dXNlcjpodW50ZXIy"}}}'],
    misses: ['"auth": "oauth2"', '"auth": true'],
  },
  'netrc-password': {
    hits: ['machine h login me password hunter2'],
    misses: ['the password is secret', 'login first, then password reset'],
  },
  'slack-webhook': {
    hits: [`https://hooks.slack.com/services/T0${upper(8)}/B0${upper(8)}/${mix(24)}`],
    misses: ['https://hooks.slack.com/services/T/B/X'],
  },
  'discord-webhook': {
    hits: [`https://discord.com/api/webhooks/${'123456789012345678'}/${mix(68)}`],
    misses: ['https://h/api/webhooks/1/x'],
  },
  'telegram-token': { hits: [`bot 123456789:AA${mix(33)}`], misses: ['12:AA', `x123456789:AA${mix(50)}`] },
};
