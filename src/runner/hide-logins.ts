import type { Redactor } from '../job/redaction/redactor.ts';
import { onToken } from '../provider/login/heard.ts';

/** Teaches redactors the tokens of logins: they do not come by the pipe, and there are new ones while a job runs. */
export function hideLogins(redactor: Redactor): Redactor {
  onToken((value) => redactor.learn([{ value, kind: 'key' }]));
  return redactor;
}
