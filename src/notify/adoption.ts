import { activeFor, keptFor } from './deliveries.ts';
import { adopt, allOwners, heirOf } from './heirs.ts';
import { isTerminalOwner } from './places.ts';
import { allSessions, isOver, isSameProcess, readSession, type Session } from './sessions.ts';

/** How a session began, as the client says it. */
export type Source = 'startup' | 'resume' | 'clear' | 'compact' | 'fork' | 'unknown';

/**
 * The sessions whose jobs become those of this one that begins: those that were in the same process before it
 * (`/clear` gives a new id), and those of the same repository whose process has ended. Of two that begin at once one
 * gets each. Returns the ids that were taken over. Throws UserError `storage`.
 */
export function adoptOthers(userDir: string, session: Session, source: Source): string[] {
  const candidates = [...sameProcess(userDir, session, source), ...orphans(userDir, session)];
  return candidates.filter((from) => adopt(userDir, from, session.sessionId));
}

function sameProcess(userDir: string, session: Session, source: Source): string[] {
  return allSessions(userDir)
    .filter((other) => other.sessionId !== session.sessionId && isSameProcess(other, session))
    .filter(
      (other) => other.endedAt !== null || source === 'clear' || source === 'resume' || source === 'fork',
    )
    .map((other) => other.sessionId)
    .filter((id) => heirOf(userDir, id) === null);
}

/** Only those that have something; a session nobody wrote down has no hooks of ours, and nobody is told for it. */
function orphans(userDir: string, session: Session): string[] {
  if (session.repo === null) return [];
  return allOwners(userDir).filter((owner) => {
    if (owner === session.sessionId || isTerminalOwner(owner) || heirOf(userDir, owner) !== null)
      return false;
    const known = readSession(userDir, owner);
    if (known !== null && !isOver(known)) return false;
    return repositoriesOf(userDir, owner).includes(session.repo ?? '');
  });
}

function repositoriesOf(userDir: string, owner: string): string[] {
  const jobs = activeFor(userDir, [owner]).map(({ repo }) => repo);
  const notices = keptFor(userDir, [owner]).map(({ notice }) => notice.repo);
  return [...jobs, ...notices];
}
