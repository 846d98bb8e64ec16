import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Prices, priceUsage, type Usage } from '../src/job/cost.ts';
import { appendSpend } from '../src/store/spend-file.ts';

/**
 * Draws what the program prints, as it prints it, into `docs/captures/<name>.svg`. The home is one of its own, with
 * settings, keys and a spend record that are made up; everything else is real. After `npm run build`:
 *
 *     npx tsx scripts/captures.ts
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DAY_MS = 24 * 3600 * 1000;

const CAPTURES: readonly (readonly [string, readonly string[]])[] = [
  ['models', ['models', 'deepseek', '--limit', '5']],
  ['spend', ['spend', '--since', '7d']],
  ['config-show', ['config', 'show']],
  ['auth-status', ['auth', 'status']],
];

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'cc-delegate-captures-'));
  try {
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      CC_DELEGATE_HOME: home,
      CC_DELEGATE_STATE: join(folder, 'state'),
      MINIMAX_API_KEY: 'sample-key-of-nobody',
    };
    const run = (args: readonly string[], input = ''): string =>
      execFileSync(process.execPath, [join(ROOT, 'dist/cli.js'), ...args], {
        cwd: folder,
        env,
        input,
        encoding: 'utf8',
      });
    settle(run);
    spendSome(home);
    mkdirSync(join(ROOT, 'docs/captures'), { recursive: true });
    for (const [name, args] of CAPTURES) {
      const output = run(args).replaceAll(home, '/home/you/.cc-delegate');
      writeFileSync(
        join(ROOT, `docs/captures/${name}.svg`),
        drawTerminal(`cc-delegate ${args.join(' ')}`, output),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The settings of somebody who uses three providers. */
function settle(run: (args: readonly string[], input?: string) => string): void {
  const profile = (...args: string[]) => run(['config', 'profile', 'set', ...args]);
  profile(
    'cheap',
    '--provider',
    'openrouter',
    '--model',
    'deepseek/deepseek-v4-flash-0731',
    '--fallback',
    'minimax:MiniMax-M3',
  );
  profile('strong', '--provider', 'minimax', '--model', 'MiniMax-M3');
  profile('local', '--provider', 'ollama', '--model', 'qwen3-coder');
  profile('plan', '--provider', 'chatgpt');
  run(['config', 'key', 'set', 'cheap'], 'sample-key-of-nobody');
  run(['config', 'set', 'budget.perDay', '10']);
}

const FLASH: Prices = { input: 0.14, output: 0.28, cacheRead: 0.028 };
const MINIMAX: Prices = { input: 0.3, output: 1.2, cacheRead: 0.06 };

/** A week of calls. */
function spendSome(home: string): void {
  const call = (daysAgo: number, repo: string, model: readonly [string, string, Prices], usage: Usage) =>
    appendSpend(home, {
      schema: 1,
      at: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
      job: 't_mx2jzbze_08p7ou',
      kind: 'task',
      repo,
      role: 'worker',
      provider: model[0],
      asked: model[1],
      model: model[1],
      usage,
      prices: model[2],
      usd: priceUsage(usage, model[2]),
      basis: 'table',
      estimated: false,
      profile: null,
    });
  const flash = ['openrouter', 'deepseek/deepseek-v4-flash-0731', FLASH] as const;
  const minimax = ['minimax', 'MiniMax-M3', MINIMAX] as const;
  for (let step = 0; step < 60; step += 1) {
    const grown = 6000 + 1400 * (step % 30);
    const usage = { input: 2100, output: 640, cacheRead: grown, cacheWrite: 0 };
    call(step % 5, '/home/you/shop', flash, usage);
    if (step % 3 === 0) call(step % 4, '/home/you/site', minimax, usage);
  }
}

const COLUMNS = 80;
const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;

/** A terminal with a command and what it said, as SVG. No line may be longer than 80 characters. */
function drawTerminal(command: string, output: string): string {
  const lines = [`$ ${command}`, ...output.replace(/\n+$/, '').split('\n')];
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN);
  const height = Math.ceil(lines.length * CELL.height + 2 * MARGIN);
  const rows = lines.map((line, at) => {
    const length = [...line].length;
    if (length > COLUMNS) throw new Error(`${length} characters in a line of 80: ${line}`);
    const y = MARGIN + at * CELL.height + 13;
    const fill = at === 0 ? '#7ee787' : '#e6edf3';
    // The length is given, so that columns meet whatever font there is.
    const span = (length * CELL.width).toFixed(1);
    return line.trim() === ''
      ? ''
      : `<text x="${MARGIN}" y="${y}" fill="${fill}" textLength="${span}" xml:space="preserve">${escaped(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(command)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">`,
    ...rows.filter((row) => row !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

main();
