// Takes each option of bubblewrap away in turn and looks which probes turn red: `tsx scripts/mutate-sandbox.ts`.
// Ends with 1 when the whole is not green, or when an option can go without anybody noticing. Run it as root,
// where more is at stake: root inside is root outside.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapBackend } from '../src/workspace/sandbox/bubblewrap.ts';
import type { Containment } from '../src/workspace/sandbox/containment.ts';
import { CLOSE_ROOT, type Option } from '../src/workspace/sandbox/mounts.ts';
import { makeScene, optionsOf, redProbes, type Scene } from '../test/workspace/sandbox/probes.ts';

/** A change of the options, by name. */
type Mutation = readonly [name: string, change: (options: readonly Option[]) => readonly Option[]];

/** Without one of them. By its place, since where a command starts is not the same for every probe. */
function removals(options: readonly Option[]): Mutation[] {
  return options.map((option, index) => [
    `without ${option.join(' ')}`,
    (all) => all.filter((_, at) => at !== index),
  ]);
}

/** What is to be read, made writable. */
function openings(options: readonly Option[]): Mutation[] {
  return options.flatMap(([name, from = '', at = ''], index) => {
    if (name !== '--ro-bind-try') return [];
    const writable: Option = ['--bind', from, at];
    return [[`writable ${at}`, (all) => all.with(index, writable)]];
  });
}

/** Two at once, since one stands in for the other; and the order of binds: closed too early, emptied too late. */
const FURTHER: readonly Mutation[] = [
  [
    'without --disable-userns and --cap-drop ALL',
    (all) => all.filter(([name]) => name !== '--disable-userns' && name !== '--cap-drop'),
  ],
  ['the root is closed first', (all) => [CLOSE_ROOT, ...all.filter((each) => !same(each, CLOSE_ROOT))]],
  ['what is for all comes after what is for the job', (all) => moveLast(all, ['--tmpfs', '--dev'])],
];

function moveLast(all: readonly Option[], names: readonly string[]): Option[] {
  const moved = all.filter(([name]) => names.includes(name ?? ''));
  return [...all.filter((each) => !moved.includes(each)), ...moved];
}

function same(a: Option, b: Option): boolean {
  return a.join('\0') === b.join('\0');
}

/** The same containment, its options changed. */
function mutate(containment: Containment, scene: Scene, [, change]: Mutation): Containment {
  return {
    ...containment,
    wrap(argv, place) {
      const options = optionsOf({ ...scene, command: place });
      const [bwrap, ...words] = containment.wrap(argv, place);
      return [bwrap, ...change(options).flat(), ...words.slice(options.flat().length)];
    },
  };
}

async function mutateIn(base: string): Promise<{ tried: number; unnoticed: string[] }> {
  const folder = realpathSync(mkdtempSync(join(base, 'cc-delegate-mutate-')));
  const scene = await makeScene(folder);
  try {
    const containment = bubblewrapBackend()?.contain(scene.place);
    if (containment === undefined) throw new Error('bubblewrap is not installed');
    const red = await redProbes(containment, scene);
    if (red.length > 0) throw new Error(`red without any change: ${red.join(', ')}`);
    const unnoticed: string[] = [];
    const mutations = [...removals(optionsOf(scene)), ...openings(optionsOf(scene)), ...FURTHER];
    for (const mutation of mutations) {
      const found = await redProbes(mutate(containment, scene, mutation), scene);
      if (found.length === 0) unnoticed.push(mutation[0]);
      const more = found.length > 3 ? ` +${found.length - 3}` : '';
      const name = mutation[0].replaceAll(`${folder}/`, '…/');
      console.log(`${name.padEnd(64)} ${found.slice(0, 3).join(', ') || 'NOBODY NOTICED'}${more}`);
    }
    return { tried: mutations.length, unnoticed };
  } finally {
    scene.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

// Where the job is below /tmp and where it is not, since /tmp is not the same there.
const places = [tmpdir(), ...(process.getuid?.() === 0 ? ['/var/lib'] : [])];
let unnoticed: string[] = [];
for (const base of places) {
  console.log(`\n== a job in ${base}`);
  const result = await mutateIn(base);
  console.log(`${result.tried} changes, ${result.unnoticed.length} unnoticed`);
  unnoticed = [...unnoticed, ...result.unnoticed];
}
process.exitCode = unnoticed.length === 0 ? 0 : 1;
