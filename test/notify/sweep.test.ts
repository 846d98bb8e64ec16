import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { GRANT_LIFE_MS } from '../../src/notify/consent/grant.ts';
import { mint } from '../../src/notify/consent/grants.ts';
import { adopt, heirOf } from '../../src/notify/heirs.ts';
import { clientProcess, saveSession } from '../../src/notify/sessions.ts';
import { sweep } from '../../src/notify/sweep.ts';
import { makeFolder, makeRepository } from '../helpers/repository.ts';
import { jobOf } from './jobs.ts';

const DAY_MS = 24 * 3600 * 1000;
const NOW = Date.now();

let userDir: string;
beforeEach(() => {
  userDir = join(makeFolder(), 'home');
});

/** Makes what is there look as if nobody had touched it for so many days. */
function age(path: string, days: number): void {
  const at = new Date(NOW - days * DAY_MS);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) age(join(path, name), days);
  utimesSync(path, at, at);
}

function put(name: string, text = ''): string {
  const path = join(userDir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A session that was written down: of this very process, or of one that is gone. */
function session(id: string, lives: boolean): void {
  const client = clientProcess(process.pid);
  if (client === null) throw new Error('no process');
  const startedAt = new Date(NOW).toISOString();
  const dead = lives ? {} : { startTime: '1' };
  saveSession(userDir, {
    sessionId: id,
    ...client,
    ...dead,
    cwd: '/',
    repo: null,
    startedAt,
    endedAt: lives ? null : startedAt,
  });
}

/** Every file and every empty folder below the user's directory. */
function left(): string[] {
  return readdirSync(userDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => {
      const path = join(userDir, name);
      return lstatSync(path).isFile() || readdirSync(path).length === 0;
    })
    .sort();
}

const NOTICE = 't_0000000000_abcdef.ended-1.json';

/** One of everything for a session. */
function everything(id: string): void {
  adopt(userDir, id, 'heir');
  const names = [
    `bells/${id}`,
    `deliveries/${id}/${NOTICE}`,
    `deliveries/${id}/${NOTICE.replace('json', 'told')}`,
    `grants/${id}/dialog-0123456789abcdef01.json`,
  ];
  for (const name of names) put(name);
}

describe('the sweep', () => {
  it.each([
    ['over', () => session('s1', false)],
    ['never written down', () => undefined],
  ])('leaves nothing of a session that is %s when a month has passed, and all of it before', (_, write) => {
    write();
    everything('s1');
    rmSync(join(userDir, 'grants'), { recursive: true });
    age(userDir, 29);
    const before = left();
    sweep(userDir, NOW);
    expect(left()).toEqual(before);
    age(userDir, 31);
    sweep(userDir, NOW);
    expect(left()).toEqual(['bells', 'deliveries', 'sessions']);
  });

  it('leaves a session alone that lives, however long nothing came or went', () => {
    session('s1', true);
    everything('s1');
    age(userDir, 400);
    sweep(userDir, NOW);
    // But for its consents, which can be used no more.
    expect(left()).toEqual([
      'bells/s1',
      `deliveries/s1/${NOTICE}`,
      `deliveries/s1/${NOTICE.replace('json', 'told')}`,
      'grants/s1',
      'sessions/s1.json',
      'sessions/s1.to',
    ]);
  });

  it('does not forget who took the jobs over of one that ended a month ago, yesterday', () => {
    session('s1', false);
    age(userDir, 31);
    adopt(userDir, 's1', 's2');
    sweep(userDir, NOW);
    expect(heirOf(userDir, 's1')).toBe('s2');
    expect(existsSync(join(userDir, 'sessions', 's1.json'))).toBe(true);
  });

  it('takes consents away whose time is up, and their folder, but no other', () => {
    const grant = { kind: 'dialog', argv: ['apply'], expiresAt: NOW + GRANT_LIFE_MS } as const;
    mint(userDir, 'old', grant);
    mint(userDir, 'new', grant);
    put('grants/empty/x');
    rmSync(join(userDir, 'grants/empty/x'));
    put('grants/strange/note.txt');
    put('grants/torn/.dialog-00.json.4194304.1.tmp');
    age(join(userDir, 'grants'), 0.01);
    mint(userDir, 'new', grant);
    sweep(userDir, NOW);
    expect(readdirSync(join(userDir, 'grants')).sort()).toEqual(['new', 'strange']);
    expect(readdirSync(join(userDir, 'grants/new'))).toHaveLength(1);
  });

  it('forgets jobs of a repository that has been gone for a day, whoever’s they were', () => {
    const repo = makeRepository();
    const gone = makeRepository();
    for (const owner of ['s1', 's2', null]) {
      jobOf(gone, owner, userDir);
      jobOf(repo, owner, userDir);
    }
    rmSync(gone, { recursive: true });
    const active = (): string[] => left().filter((name) => name.endsWith('.active'));
    sweep(userDir, NOW);
    expect(active()).toHaveLength(6);
    age(userDir, 1.1);
    sweep(userDir, NOW);
    expect(active()).toHaveLength(3);
  });

  it('looks at a part of very many each time, and at all of them in the end', () => {
    for (let at = 0; at < 100; at += 1) put(`bells/b${at}`);
    age(userDir, 31);
    // Those that stay stand before all of them.
    for (let at = 0; at < 40; at += 1) put(`bells/a${at}`);
    let before = 100;
    for (let at = 0; before > 0; at += 1) {
      if (at > 2000) throw new Error(`${before} are never looked at`);
      sweep(userDir, NOW + at * 7919);
      const now = readdirSync(join(userDir, 'bells')).filter((name) => name.startsWith('b')).length;
      expect(before - now).toBeLessThanOrEqual(20);
      before = now;
    }
  });

  it('is not stopped by what somebody left in its folders', () => {
    for (const name of ['sessions', 'bells', 'grants', 'deliveries']) {
      put(`${name}/s1/inner/x`);
      put(`${name}/.hidden`);
      put(`${name}/with space`);
      put(`${name}/s2`, 'no folder');
    }
    age(userDir, 400);
    expect(() => sweep(userDir, NOW)).not.toThrow();
    expect(left()).toContain('grants/s1/inner/x');
    expect(left()).toContain('deliveries/.hidden');
  });
});
