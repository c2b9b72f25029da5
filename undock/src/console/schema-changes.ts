import { firstWords } from '../database/statements/split-statements.ts'

/** Keeps of a session which statements have changed the schema for good. */
export type SchemaChanges = {
  /** Records a statement that succeeded.
   *  @param command What Postgres answered: a `commit` of a transaction that has failed is a ROLLBACK.
   *  @param isInTransaction Whether the session is in a transaction after it. */
  note(statement: string, command: string, isInTransaction: boolean): void
  /** @returns the statements that were committed since this was last asked. */
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
/** What is of one session or of the whole server; a migration contains neither. */
const ELSEWHERE = ['temp', 'temporary', 'database', 'tablespace', 'system']

function changesSchema([first = '', ...rest]: readonly string[]): boolean {
  const kind = rest.find((word) => !BETWEEN.includes(word)) ?? ''
  return CHANGING.includes(first) && !ELSEWHERE.includes(kind)
}
