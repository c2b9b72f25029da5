import { join } from 'node:path'
import { copyKeptData, lastUsedFormat } from '../../database/project/kept-data.ts'
import { countRows } from '../../project-tools/contents.ts'
import { difference, type Script } from '../../project-tools/schema-difference.ts'
import { stateAt } from '../place/state-folders.ts'
import { engineOf, SERVICES, type StackOptions } from '../stack/options.ts'
import { BranchError, findBranch } from './branches.ts'
import { loadRegistry } from './registry.ts'

/** @property current Null if the branch lacks the table; likewise `other`. */
type RowCount = { readonly table: string; readonly current: number | null; readonly other: number | null }

/** What a database has beyond another one. @property scripts The structure as SQL; each runs in its own transaction.
 *  @property rows The tables whose row counts differ. */
export type DatabaseDifference = { readonly scripts: readonly Script[]; readonly rows: readonly RowCount[] }

export type BranchDifference = DatabaseDifference & { readonly current: string; readonly other: string }

/** Finds a branch to compare with the current one. @returns the absolute folder of its state.
 *  @throws {BranchError} */
export function findOther(root: string, other: string): { readonly current: string; readonly folder: string } {
  const registry = loadRegistry(root)
  const { folder } = findBranch(registry, other)
  if (registry.current === other)
    throw new BranchError(`"${other}" is the current branch. Name another one to compare it with.`)
  return { current: registry.current, folder: join(root, folder) }
}

/** Returns how to start an in-memory copy of a state's database without services. A branch that was never started gets
 *  the migrations' data.
 *  @param state Its folder. */
export function copyOptions(workdir: string, state: string): StackOptions {
  const format = lastUsedFormat(stateAt(state).database)
  const from = (to: string) => copyKeptData(stateAt(state).database, stateAt(to).database)
  const kept = format ? { from, ...engineOf(format) } : {}
  return { workdir, ports: 'free', state: 'memory', exclude: SERVICES, runsJobs: false, ...kept }
}

/** Compares two databases.
 *  @param current Connection URL, like `other`. @param schemas All project schemas if empty. */
export async function compareDatabases(
  current: string,
  other: string,
  schemas: readonly string[],
): Promise<DatabaseDifference> {
  return { scripts: await difference(current, other, { schemas }), rows: await compareRows(current, other) }
}

async function compareRows(current: string, other: string): Promise<RowCount[]> {
  const [mine, theirs] = [await countRows(current), await countRows(other)]
  return [...new Set([...mine.keys(), ...theirs.keys()])]
    .map((table) => ({ table, current: mine.get(table) ?? null, other: theirs.get(table) ?? null }))
    .filter((one) => one.current !== one.other)
    .toSorted((a, b) => a.table.localeCompare(b.table))
}
