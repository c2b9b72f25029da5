import { expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/database.ts'

test("every role may call pgTAP, whatever the project's default privileges", async () => {
  const { db, close } = await openTestDatabase()
  try {
    await db.runAs(
      'postgres',
      `alter default privileges for role postgres revoke execute on functions from public;
       create extension pgtap with schema extensions;
       create function extensions.own() returns text language sql return 'own'`,
    )
    await db.runAs('postgres', 'set role anon; select extensions.plan(1), extensions.ok(true)')
    await expect(db.runAs('postgres', 'set role anon; select extensions.own()')).rejects.toThrow(
      'permission denied for function own',
    )
    await db.runAs('postgres', 'drop extension pgtap')
  } finally {
    await close()
  }
})
