import { withoutComments } from './migrations/split.ts'

const NAME = String.raw`(?:"(?:[^"]|"")+"|[\w$]+)`

/** What a hosted project lets `postgres` do although Postgres asks for a superuser (the extension supautils does that).
 *  Publications for all tables and event triggers belong to whoever made them, so what changes them goes with them. */
const ALLOWED = [
  /^(?:create|alter|drop|comment\s+on)\s+event\s+trigger\b/i,
  /^create\s+publication\b[\s\S]*\bfor\s+(?:all\s+tables|tables\s+in\s+schema)\b/i,
  /^(?:alter|drop)\s+publication\b/i,
  /^(?:create|alter|drop)\s+foreign\s+data\s+wrapper\b/i,
  /^alter\s+extension\b[\s\S]*\bset\s+schema\b/i,
  // Settings of the project's own: `app.settings.secret`, `pgrst.db_schemas`.
  new RegExp(
    String.raw`^alter\s+(?:role|user|database)\s+${NAME}(?:\s+in\s+database\s+${NAME})?\s+(?:set|reset)\s+(?:"[^".]+\.[^"]+"|[\w$]+\.[\w$.]+)`,
    'i',
  ),
]

const LIKELY = /event\s+trigger|publication|alter\s+extension|foreign\s+data\s+wrapper|alter\s+(?:role|user|database)/i

/** Puts a statement that only a superuser may run, and that hosted projects allow, into the hands of one.
 *  @see bootstrap/65_privileged.sql for the other side. */
export function asPrivileged(text: string): string {
  if (!LIKELY.test(text)) return text
  const code = withoutComments(text)
  if (!ALLOWED.some((one) => one.test(code))) return text
  // An event trigger's owner must be a superuser: it stays the one that it has.
  if (/^alter\s+event\s+trigger\b[\s\S]*\bowner\s+to\b/i.test(code)) return 'do $undock$ begin end $undock$'
  return `do $undock$ begin perform _undock.run_privileged($privileged$${code}$privileged$); end $undock$`
}
