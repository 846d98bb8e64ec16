// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts for a shell.
import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/runner/guard/judge.ts';
import { type Family, SENTENCES } from '../../../src/runner/guard/verdict.ts';
import { LOOK_ALIKES } from './fixtures/look-alikes.ts';
import { SCANS } from './fixtures/scans.ts';
import { SPELLINGS } from './fixtures/spellings.ts';
import { NAMES, PLACE, spell } from './places.ts';

const familyOf = (text: string, place = PLACE): Family | null => {
  const verdict = judge(text, place);
  return verdict.kind === 'refuse' ? verdict.family : null;
};

/** Where the words that matter are another program's, the text does not tell: the shim is there for them. */
const NOT_IN_THE_TEXT =
  /^echo 'tig|^echo Z2l0|^python3|^node|^perl|^awk|make -f|npm run|core\.hooksPath|b\/deploy/;

describe('a spelling of push, or of a change to history', () => {
  const told = SPELLINGS.filter((spelling) => !NOT_IN_THE_TEXT.test(spelling));

  it('is one of 110 and more, nearly all of which the text tells', () => {
    expect(SPELLINGS.length).toBeGreaterThanOrEqual(110);
    expect(SPELLINGS.length - told.length).toBeLessThanOrEqual(11);
  });

  it.each(told)('is refused: %s', (spelling) => {
    expect(familyOf(spell(spelling, NAMES))).not.toBeNull();
  });
});

describe('a look-alike', () => {
  it.each(LOOK_ALIKES)('passes: %s', (text) => {
    expect(familyOf(text)).toBeNull();
  });
});

describe('a search of the whole drive', () => {
  it.each(SCANS)('is refused: %s', (text) => {
    expect(familyOf(text)).toBe('scan');
  });

  it('is measured from the folder the command starts in', () => {
    const below = { ...PLACE, cwd: `${PLACE.workspace}/packages/a` };
    expect(familyOf('find .. -name x', below)).toBeNull();
    expect(familyOf('find ../.. -name x', below)).toBeNull();
    expect(familyOf('find ../../.. -name x', below)).toBe('scan');
    expect(familyOf(`grep -r x ${PLACE.workspace}`)).toBeNull();
    expect(familyOf('find /tmp/x /usr/include -name y')).toBeNull();
  });
});

describe('the family', () => {
  it.each<[string, Family | null]>([
    ['git push', 'push'],
    ['git subtree push --prefix src origin x', 'push'],
    ['git pull --rebase', 'fetch'],
    ['git fetch', 'fetch'],
    ['git merge dev', 'merge'],
    ['git rebase -i HEAD~2', 'rebase'],
    ['git filter-branch', 'rebase'],
    ['git branch -D dev', 'refs'],
    ['git branch --force dev HEAD', 'refs'],
    ['git branch dev', null],
    ['git update-ref refs/heads/x HEAD', 'refs'],
    ['git symbolic-ref HEAD refs/heads/x', 'refs'],
    ['git stash', 'stash'],
    ['git stash pop', 'stash'],
    ['git stash show', null],
    ['git worktree add ../x', 'worktree'],
    ['git remote add o /x', 'remote'],
    ['git remote -v', null],
    ['git config remote.o.url /x', 'remote'],
    ['git config --global user.name x', 'config'],
    ['git config --global user.name', null],
    ['git -C /user/checkout reset --hard', 'elsewhere'],
    ['git -C /user/checkout log', null],
    ['git -C packages/a reset --hard', null],
    ['git reset --hard HEAD~1', null],
    ['git tag v1', null],
    ['gh pr create --fill', 'forge'],
    ['gh pr view 3', null],
    ['glab mr merge 3', 'forge'],
    ['hub pull-request', 'forge'],
    ['rm -rf .git', null],
    ['rm -r -f ./.git src', null],
    ['rm -rf /user/checkout/.git', 'repository'],
    ['rm -rf sub/.git', null],
    ['d=$(mktemp -d); cd "$d"; git init; git merge x', null],
    ['d=$(mktemp -d); cd "$d"; git init; git push o x', 'push'],
    ['cd $SOMEWHERE; git merge x', 'merge'],
    ['cd $SOMEWHERE; git commit -m x', null],
  ])('%s: %s', (text, family) => {
    expect(familyOf(text)).toBe(family);
  });

  it('says in one line what to do instead', () => {
    for (const sentence of Object.values(SENTENCES)) {
      expect(sentence).toMatch(/^[^\n]{40,260}\.$|^[^\n]{40,260}\)\.$/);
    }
    expect(judge('git push', PLACE)).toEqual({
      kind: 'refuse',
      family: 'push',
      sentence: expect.stringContaining('finish and stop; the result is collected'),
    });
  });
});

describe('a text that is not for reading', () => {
  const DEEP = 'git push'.replace(/^/, '$('.repeat(300)) + ')'.repeat(300);

  it.each([
    ['is longer than any command', `${'true;'.repeat(200_000)} git push`],
    ['opens and never closes', '$('.repeat(500_000)],
    ['opens and never closes, within the cap', '$('.repeat(32_000)],
    ['doubles a value', 'x=$x$x$x;'.repeat(7_000)],
    ['evaluates a long value again and again', `x=${'a '.repeat(4_000)};${'eval "$x";'.repeat(5_000)}`],
    ['calls itself', 'f() { f; f; f; }; f'],
    ['evaluates itself', 'x=\'eval "$x"; eval "$x"\'; eval "$x"'],
    ['loops in loops', `${'for a in 1 2 3 4 5 6 7 8; do '.repeat(40)}true;${'done;'.repeat(40)}`],
    ['multiplies braces', '{a,b}'.repeat(12_000)],
    ['quotes without end', `"$(\`{'`.repeat(10_000)],
    ['is deep', DEEP],
    ['holds bytes of no text', '\0\u{E000}\uD800'.repeat(5_000)],
  ])('passes in time when it %s', (_, text) => {
    const start = performance.now();
    judge(text, PLACE);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('never throws, whatever is cut out of a spelling or repeated in it', () => {
    for (const [index, spelling] of SPELLINGS.entries()) {
      for (let cut = 0; cut < spelling.length; cut += 3) {
        judge(spelling.slice(cut), PLACE);
        judge(spelling.slice(0, cut), PLACE);
        judge(spelling.slice(0, cut) + (SPELLINGS[(index + cut) % SPELLINGS.length] ?? ''), PLACE);
      }
    }
  });
});
