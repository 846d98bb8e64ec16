import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeWorld, type World, write } from '../helpers/world.ts';

const SECRET = 'Zx81-live-9fJ2kQLmZp0RtV4wYb7Nc';
const MARKUP = '</pre><script>alert(1)</script><img src=x onerror=alert(2)>';

/** A worker that tries to get into the page by everything it can write. */
const HOSTILE = [
  {
    calls: [
      write('page.js', `const a = "${MARKUP}"; // \u202e\u001b[31m\n`),
      write('<img src=x onerror=alert(3)>.txt', 'x\n'),
      write('key.txt', `value ${SECRET}\n`),
      write('package-lock.json', '{"x":1}\n'),
      write('.github/ci.yml', 'on: push\n'),
      write('big.txt', 'long line of the file\n'.repeat(6000)),
    ],
  },
  { text: `done ${MARKUP} ${SECRET}` },
];

async function hostileJob(): Promise<{ world: World; id: string }> {
  const world = await makeWorld({ script: HOSTILE });
  world.env.OPENROUTER_API_KEY = SECRET;
  const test = "echo '<b>tail</b>' && test -f big.txt";
  const id = await world.start(['--test', test, '--title', `t ${MARKUP}`]);
  expect((await world.ended(id)).state).toBe('succeeded');
  return { world, id };
}

it('shows a hostile job in a page that runs nothing, and in a packet of bounded size', async () => {
  const { world, id } = await hostileJob();
  const made = await world.run(['report', id]);
  expect(made).toMatchObject({ exit: 0, stderr: '' });
  const path = made.stdout.trim();
  expect(path).toBe(join(world.store().repo, '.cc-delegate/runs', id, 'report.html'));
  const page = readFileSync(path, 'utf8');
  for (const piece of ['<script', '<img', SECRET, '\u202e', '\u001b']) expect(page).not.toContain(piece);
  expect(page).toContain('&lt;b&gt;tail&lt;/b&gt;');
  expect(page).toContain('value [redacted:key]');
  expect(page).toContain(
    createHash('sha256')
      .update(world.patch(id as never))
      .digest('hex'),
  );
  // What the page says about itself can be done.
  const commands = /<pre>(cd [\s\S]*?)<\/pre>/.exec(page)?.[1] ?? '';
  const script = commands
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
  const said = execFileSync('sh', ['-ec', script], { encoding: 'utf8', env: world.env });
  expect(said).toContain(/^# ([0-9a-f]{40})$/m.exec(script)?.[1]);

  const packet = await world.run(['diff', id, '--packet']);
  expect(packet.exit).toBe(0);
  expect(packet.stdout.length).toBeLessThanOrEqual(60_001);
  for (const piece of [SECRET, '\u202e', '\u001b']) expect(packet.stdout).not.toContain(piece);
  expect(packet.stdout.indexOf('A .github/ci.yml')).toBeLessThan(packet.stdout.indexOf('A page.js'));
  const json = (await world.run(['diff', id, '--packet', '--json'])).json();
  expect(json).toMatchObject({ cut: ['big.txt'], folded: ['package-lock.json'], leftOut: [] });
});
