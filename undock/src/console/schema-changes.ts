import { firstWords } from '../database/statements/split-statements.ts'

/** Tracks which of a session's statements changed the schema permanently. */
export type SchemaChanges = {
  /** Records a statement that succeeded.
   *  @param command Postgres' command tag: a failed transaction's `commit` is a ROLLBACK. @param isInTransaction Whether the session is in
   * a transaction afterwards. */
  note(statement: string, command: string, isInTransaction: boolean): void
  /** @returns the statements committed since the last call. */
  takeCommitted(): string[]
}

export function createSchemaChanges(): SchemaChanges {
  let open: ({ readonly text: string } | { readonly savepoint: string | undefined })[] = []
  let committed: string[] = []
  return {
    note(statement, command, isInTransaction) {
      const words = firstWords(statement, 5).map((word) => word.toLowerCase())
      if (changesSchema(words)) open.push({ text: statement })
      else if (words[0] === 'savepoint') open.push({ savepoint: words[1] })
      else if (words[0] === 'rollback' && words.includes('to')) {
        const name = words.at(-1)
        open = open.slice(0, open.findLastIndex((one) => 'savepoint' in one && one.savepoint === name) + 1)
      } else if (command === 'ROLLBACK') open = []
      if (isInTransaction && command !== 'COMMIT') return
      committed.push(...open.flatMap((one) => ('text' in one ? [one.text] : [])))
      open = []
    },
    takeCommitted() {
      const taken = committed
      committed = []
      return taken
    },
  }
}

const CHANGING = ['create', 'alter', 'drop', 'comment', 'grant', 'revoke', 'security', 'import']
/** Words between `create` and the kind of object. */
const BETWEEN = ['or', 'replace', 'local', 'global']
/** Statements about a session or the whole server, which don't belong in a migration. */
const ELSEWHERE = ['temp', 'temporary', 'database', 'tablespace', 'system']

function changesSchema([first = '', ...rest]: readonly string[]): boolean {
  const kind = rest.find((word) => !BETWEEN.includes(word)) ?? ''
  return CHANGING.includes(first) && !ELSEWHERE.includes(kind)
}
