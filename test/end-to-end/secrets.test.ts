import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildInto } from '../../scripts/build.ts';
import type { JobId } from '../../src/job/ids.ts';
import { makeFolder } from '../helpers/repository.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';
import { SAMPLES } from '../job/redaction/samples.ts';

/** Text that only its planter knows: letters and digits that stand nowhere else. */
const planted = (index: number): string =>
  `pl4nt${(index * 7919).toString(36)}Zq${index}w9X3kT${index % 7}mV5b`;

const KEY = `sk-test-${planted(1)}`;
const HEADER = planted(2);
/** What the user hands to the worker: it is the worker's to use, and nobody's to read afterwards. */
const PASSED: Readonly<Record<string, string>> = {
  DATABASE_URL: `postgres://app:${planted(3)}@db/app`,
  REDIS_URL: `redis://:${planted(4)}@cache`,
  DEPLOY_KEY: `-----BEGIN PRIVATE KEY-----\n${planted(5)}${planted(6)}\n-----END PRIVATE KEY-----`,
  ODD_TEXT: `${planted(7)}"with\\odd/characters+é`,
  ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`HARMLESS_NAME_${n}`, planted(20 + n)])),
};
/** What is in the environment of the caller, and nobody's business. */
const CALLERS: Readonly<Record<string, string>> = {
  HTTPS_PROXY: `http://me:${planted(8)}@127.0.0.1:9`,
  OPENAI_API_KEY: planted(9),
  ...Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`CALLER_TOKEN_${n}`, planted(40 + n)])),
};
const ALL = Array.from({ length: 60 }, (_, n) => planted(n));
const within = (texts: readonly string[]): string[] =>
  ALL.filter((value) => texts.some((text) => text.includes(value)));
/** The secret part of each value the runner knows, and of those it must not even get. */
const KNOWN: readonly string[] = [
  KEY,
  ...within([HEADER, ...Object.values(PASSED), CALLERS.HTTPS_PROXY ?? '']),
];
const UNKNOWN: readonly string[] = within(Object.values(CALLERS)).filter((value) => !KNOWN.includes(value));
const IN_FILES = Object.values(SAMPLES).map(({ hits }) => hits[0] ?? '');

/** The plain value, and the inner part of its base64 wherever it begins. */
function formsOf(value: string): string[] {
  const base64 = ['', 'x', 'xx'].map((pad) => Buffer.from(`${pad}${value}`).toString('base64'));
  return [value, ...base64.map((text, pad) => text.slice(pad === 0 ? 0 : 4, -4))];
}

const WHOLE = 'env; cat /proc/self/environ | tr "\\0" "\\n"; cat secrets.txt';
/** In two writes, and in base64 at every position. */
const IN_PIECES = [
  'for v in DATABASE_URL REDIS_URL ODD_TEXT HARMLESS_NAME_0 HARMLESS_NAME_1 HARMLESS_NAME_2; do',
  's=$(printenv "$v"); printf "%.9s" "$s"; sleep 0.01; printf "%s" "$s" | tail -c +10; echo;',
  'for p in "" x xx; do printf "%s%s" "$p" "$s" | base64; done; done',
].join(' ');
const LOOK_ALIKE = `export const token = '${IN_FILES[11]}';\nexport const known = '${KEY}';\n`;

/** Says everything it knows, in every way a worker has. */
async function indiscreet(): Promise<{ world: World; id: JobId; printed: string }> {
  const all = [...KNOWN, ...IN_FILES].join('\n');
  const world = await makeWorld({
    files: { 'secrets.txt': `${IN_FILES.join('\n\n')}\n`, 'look-alike.ts': 'export {};\n' },
    script: [
      { text: `I know ${all}`, calls: [bash(WHOLE), bash(IN_PIECES)] },
      {
        calls: [
          bash(
            `printf '%s' '${KEY.slice(0, 11)}'; sleep 0.01; echo '${KEY.slice(11)}'; echo ${KEY} | base64; exit 3`,
          ),
          { name: 'read', args: { path: 'secrets.txt' } },
          { name: 'read', args: { path: `no/such/${KEY}` } },
          { name: 'report_progress', args: { update: `${KEY} ${HEADER} ${planted(20)}` } },
          write('look-alike.ts', LOOK_ALIKE),
          write(`named-${HEADER}.txt`, 'x\n'),
        ],
      },
      { calls: [{ name: 'ask_supervisor', args: { question: `May I use ${all}?`, context: all } }] },
      { text: `done with ${all}` },
    ],
  });
  const config = join(world.home, '.cc-delegate/config.yaml');
  const settings = JSON.parse(readFileSync(config, 'utf8'));
  settings.profiles.test.headers = { 'X-Team-Key': HEADER };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  await world.run(['config', 'key', 'set', 'test'], { input: `${KEY}\n` });
  const env = { ...PASSED, ...CALLERS };
  const pass = Object.keys(PASSED).flatMap((name) => ['--pass-env', name]);
  const test = `${WHOLE}; ${IN_PIECES}; test -e look-alike.ts || exit 1; grep -q known look-alike.ts`;
  const id = await world.start(['--test', test, '--title', `about ${KEY}`, ...pass], { env });
  const printed: string[] = [];
  const say = async (...args: string[]): Promise<void> => {
    const { stdout, stderr } = await world.run(args, { env });
    printed.push(stdout, stderr);
  };
  await world.until(id, ({ state }) => state === 'needs_input', 60);
  for (const verb of ['status', 'progress']) await say(verb, id, '--json');
  await say('status');
  await say('answer', id, 'no');
  await world.ended(id, 60);
  for (const verb of ['status', 'progress', 'log', 'wait', 'result', 'open']) {
    await say(verb, id);
    await say(verb, id, '--json');
  }
  for (const args of [
    ['result', id, '--full', '--json'],
    ['list', '--json'],
    ['config', 'show', '--json'],
  ])
    await say(...args);
  for (const args of [['list'], ['status'], ['config', 'show'], ['doctor'], ['diff', id, '--stat']])
    await say(...args);
  return { world, id, printed: printed.join('\n') };
}

/** Our files: not the work, not where the user put a secret by himself. */
function ourFiles(world: World): string[] {
  const folders = [join(world.repository, '.cc-delegate'), join(world.home, '.cc-delegate'), world.state];
  const theirs =
    /result\.patch$|credentials\.json$|config\.yaml$|\/t_[0-9a-z]+_[0-9a-z]{6}\/(?:work|home|tmp|collector|gate)\//;
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => !theirs.test(path) && statSync(path, { throwIfNoEntry: false })?.isFile());
}

/** Which of the texts are in which of the files. */
function leaks(paths: readonly string[], texts: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const content = readFileSync(path).toString('utf8');
    // As they are, and as they stand in JSON.
    const found = texts.filter((text) =>
      [text, JSON.stringify(text).slice(1, -1)].some((t) => content.includes(t)),
    );
    return found.map((text) => `${path}: ${text}`);
  });
}

const short = (found: readonly string[]): string[] => found.map((leak) => leak.slice(-90)).slice(0, 20);

describe('sixty secrets, told in every way a worker has', () => {
  it('are in no file of ours and in no answer; the work keeps what looks like one, byte for byte', async () => {
    expect(KNOWN.length + UNKNOWN.length + IN_FILES.length).toBeGreaterThanOrEqual(60);
    const { world, id, printed } = await indiscreet();
    expect(world.record(id)).toMatchObject({ state: 'succeeded', title: 'about [redacted:key]' });
    const paths = ourFiles(world);
    for (const name of ['events.ndjson', 'transcript.ndjson', 'worker.log', 'receipt.json', 'runner.log'])
      expect(
        paths.some((path) => path.endsWith(name)),
        name,
      ).toBe(true);
    const known = [...KNOWN, ...UNKNOWN].flatMap(formsOf);
    expect(short(leaks(paths, known))).toEqual([]);
    expect(known.filter((text) => printed.includes(text))).toEqual([]);

    // Of what only looks like a secret nearly all.
    const missed = new Set(leaks(paths, IN_FILES).map((leak) => leak.slice(leak.indexOf(': ') + 2)));
    console.log(
      `${IN_FILES.length - missed.size} of ${IN_FILES.length} look-alikes hidden in all of ${paths.length} files`,
    );
    expect(missed.size / IN_FILES.length, [...missed].join('\n')).toBeLessThanOrEqual(0.05);

    // Vacuity: the worker and its model did see them; but never the keys of endpoints, nor what was not passed.
    const seen = world.model.requests.map(({ text }) => text).join('\n');
    for (const name of Object.keys(PASSED)) expect(seen).toContain(name);
    expect(seen).toContain(planted(20));
    expect(seen).toContain('DB_PASSWORD=hunter2hunter');
    for (const value of UNKNOWN) expect(seen).not.toContain(value);
    const results = JSON.stringify(
      world.model.requests.flatMap(({ body }) => body.messages.filter(({ role }) => role === 'tool')),
    );
    expect(results).toContain('[redacted:key]');
    expect(results).not.toContain(KEY);

    // The work is the work.
    const workspace = world.record(id).workspace;
    expect(readFileSync(join(workspace, 'look-alike.ts'), 'utf8')).toBe(LOOK_ALIKE);
    for (const line of LOOK_ALIKE.trimEnd().split('\n'))
      expect(world.patch(id).toString()).toContain(`\n+${line}\n`);
    expect(world.patch(id).toString()).toContain(`named-${HEADER}.txt`);
    const result = (await world.run(['result', id, '--json'])).json<{ flags: string[]; notes: string[] }>();
    expect(result.flags).toContain('secret_like');
    expect(result.notes.filter((note) => note.startsWith('looks like a secret'))).toEqual(
      expect.arrayContaining([
        'looks like a secret (quoted-secret): look-alike.ts',
        'looks like a secret (key): look-alike.ts',
      ]),
    );
  });

  it('would be in all of them without the redactor', async () => {
    const built = makeFolder();
    await buildInto(built);
    for (const name of [
      'runner/runner.mjs',
      ...['runner/chunks', 'chunks'].flatMap((folder) =>
        readdirSync(join(built, folder)).map((chunk) => `${folder}/${chunk}`),
      ),
    ]) {
      const path = join(built, name);
      const text = readFileSync(path, 'utf8');
      const without = `function createRedactor() {
        const same = (text) => text;
        const stream = () => ({ write: same, end: () => new Uint8Array() });
        return { text: same, known: same, stream, learn() {}, kindsIn: () => [] };
      }
      function unused(`;
      writeFileSync(path, text.replace('function createRedactor(', without));
    }
    const usual = process.env.CC_DELEGATE_TEST_DIST;
    process.env.CC_DELEGATE_TEST_DIST = built;
    try {
      const { world, printed } = await indiscreet();
      const found = leaks(ourFiles(world), [KEY, HEADER, planted(20), IN_FILES[11] ?? '']);
      for (const name of ['events.ndjson', 'transcript.ndjson', 'worker.log', 'receipt.json', 'jobs/'])
        expect(short(found.filter((leak) => leak.includes(name))), name).not.toEqual([]);
      expect(printed).toContain(KEY);
    } finally {
      process.env.CC_DELEGATE_TEST_DIST = usual;
    }
  });
});

it('SEC-05 secrets in variables with harmless names reach nobody; what is named, and what is harmless, does', async () => {
  const secrets = {
    DATABASE_URL: 'postgres://u:hunter2@h/d',
    SENTRY_DSN: 'https://abc123@h/1',
    GH_PAT: 'ghp_x',
    MYSQL_PWD: 'pw-of-mysql',
    REDIS_URL: 'redis://:pw-of-redis@h',
    npm_config__auth: 'auth-of-npm',
    HTTPS_PROXY: 'http://u:pw-of-proxy@p:1',
    AWS_PROFILE: 'profile-of-aws',
    SSH_AUTH_SOCK: '/tmp/agent-of-ssh',
    NAMED_BY_THE_USER: 'passed-on-purpose-1',
  };
  const harmless = { LANG: 'C.UTF-8', JAVA_HOME: '/opt/java', MAX_TOKENS: '4096' };
  const look = 'env; tr "\\0" "\\n" </proc/self/environ; tr "\\0" "\\n" </proc/$PPID/environ';
  const world = await makeWorld({ script: [{ calls: [bash(look), write('a.txt', 'x')] }, { text: 'done' }] });
  const args = ['--test', `${look}; test -e a.txt`, '--pass-env', 'NAMED_BY_THE_USER'];
  const id = await world.start(args, { env: { ...secrets, ...harmless } });
  expect(await world.ended(id, 60)).toMatchObject({ state: 'succeeded' });
  const told = world.model.requests[1]?.text ?? '';
  const log = readFileSync(join(world.repository, '.cc-delegate/runs', id, 'worker.log'), 'utf8');
  for (const text of [told, log]) {
    for (const shown of ['LANG=C.UTF-8', 'JAVA_HOME=/opt/java', 'MAX_TOKENS=4096', 'PATH='])
      expect(text).toContain(shown);
    for (const hidden of Object.values(secrets).slice(0, -1)) expect(text).not.toContain(hidden);
  }
  expect(told).toContain('NAMED_BY_THE_USER=passed-on-purpose-1');
  expect(log).toContain('NAMED_BY_THE_USER=[redacted:NAMED_BY_THE_USER]');
});

it('SEC-06 an endpoint that repeats the key in its error, and a worker that prints it, leave it nowhere', async () => {
  const echo = {
    error: { message: `bad request: Authorization: Bearer ${KEY}, x-team: ${KEY.slice(0, 20)}` },
  };
  const world = await makeWorld({
    script: (request) =>
      request.index === 0
        ? { calls: [bash(`echo ${KEY}; echo ${KEY} >&2; exit 1`)] }
        : { status: 401, body: echo },
  });
  await world.run(['config', 'key', 'set', 'test'], { input: `${KEY}\n` });
  const id = await world.start();
  expect(await world.ended(id, 60)).toMatchObject({ state: 'failed', reason: 'auth' });
  const printed = await Promise.all(
    [['result', id], ['result', id, '--json'], ['status'], ['log', id, '--json'], ['progress', id]].map(
      (args) => world.run(args),
    ),
  );
  const shown = printed.map(({ stdout, stderr }) => stdout + stderr).join('\n');
  expect(shown).toContain('bad request');
  expect(shown).not.toContain(KEY.slice(0, 20));
  expect(leaks(ourFiles(world), [KEY.slice(0, 20)])).toEqual([]);
  const transcript = readFileSync(
    join(world.repository, '.cc-delegate/runs', id, 'transcript.ndjson'),
    'utf8',
  );
  expect(transcript).toContain('[redacted:key]');
});
