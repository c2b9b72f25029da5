import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeFiles } from '../../testing/files.ts'
import { createBranch, deleteSnapshot, saveSnapshot, switchBranch } from './branches.ts'
import { currentState, loadRegistry } from './registry.ts'
import { deleteBranch, emptyState, keepForUndo, lastKept, restoreSnapshot, undoState } from './undo.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'undock-undo-'))
  await write('first')
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(root, { recursive: true })
})

const write = (text: string) =>
  makeFiles(currentState(root), { 'database/data': text, 'database/undock.complete': '', 'storage/objects/a': text })
const read = () => readFile(join(currentState(root), 'database/data'), 'utf8').catch(() => null)
const kept = () => loadRegistry(root).snapshots.map(({ branch, command }) => `${branch}: ${command}`)
const undo = () => undoState({ root }, lastKept(loadRegistry(root))?.name ?? '')

test('undo restores deleted or replaced data, and a second undo reverts it', async () => {
  await saveSnapshot({ root }, 'mine')
  await write('second')
  await restoreSnapshot({ root }, 'mine')
  expect(await read()).toBe('first')
  await undo()
  expect(await read()).toBe('second')
  await emptyState({ root }, 'reset')
  expect(await read()).toBeNull()
  await write('third')
  for (const expected of ['second', 'third', 'second']) {
    await undo()
    expect(await read()).toBe(expected)
  }
  expect(kept()).toEqual(['main: undefined', 'main: undo', 'main: undo'])
  expect(await readdir(join(root, 'states'))).toHaveLength(3)
})

test('a failed or interrupted snapshot keeps the previous one', async () => {
  await keepForUndo({ root }, 'reset')
  await write('second')
  const copyCurrent = () => Promise.reject(new Error('killed'))
  await expect(keepForUndo({ root, copyCurrent }, 'reset')).rejects.toThrow('killed')
  await undo()
  expect(await read()).toBe('first')
})

test('undo restores a deleted branch from any other branch', async () => {
  await createBranch({ root }, 'copy')
  await switchBranch({ root }, 'copy')
  await write('of the copy')
  const before = loadRegistry(root).branches
  await switchBranch({ root }, 'main')
  await deleteBranch({ root }, 'copy')
  await createBranch({ root }, 'copy')
  await expect(undo()).rejects.toThrow('Another branch is named "copy"')
  await deleteBranch({ root }, 'copy', true)
  await undo()
  expect(loadRegistry(root)).toMatchObject({ current: 'main', branches: before, snapshots: [] })
  await switchBranch({ root }, 'copy')
  expect(await read()).toBe('of the copy')
  expect(lastKept(loadRegistry(root))).toBeUndefined()
})

test('each branch restores its own data', async () => {
  await createBranch({ root }, 'copy')
  await keepForUndo({ root }, 'reset')
  await switchBranch({ root }, 'copy')
  expect(lastKept(loadRegistry(root))).toBeUndefined()
  await write('of the copy')
  await keepForUndo({ root }, 'reset')
  await write('later')
  await undo()
  expect(await read()).toBe('of the copy')
  await switchBranch({ root }, 'main')
  await write('later')
  await undo()
  expect(await read()).toBe('first')
})

test('keeps snapshots for a day and five per command; migration snapshots last longer', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01') })
  for (const command of ['migration up', 'reset', 'import']) await keepForUndo({ root }, command)
  vi.setSystemTime(new Date('2026-01-02T00:00:01'))
  expect(lastKept(loadRegistry(root))).toBeUndefined()
  expect(lastKept(loadRegistry(root), 'migration up')).toBeDefined()
  for (let round = 0; round < 6; round++) await keepForUndo({ root }, 'reset')
  expect(kept()).toEqual(['main: migration up', ...Array(5).fill('main: reset')])
  expect(await readdir(join(root, 'states'))).toHaveLength(6)
})

test('deletes the oldest snapshots while the total size is too large', async () => {
  const big = 1024 ** 3
  const sizes = () => loadRegistry(root).snapshots.map(({ size }) => size ?? 0)
  for (const command of ['reset', 'import', 'execute_sql'])
    await saveSnapshot({ root }, command, { command, size: big })
  await keepForUndo({ root }, 'db push')
  expect(kept()).toEqual(['main: execute_sql', 'main: db push'])
  expect(sizes()[0]).toBe(big)
  expect(sizes()[1]).toBeGreaterThan(0)
})

test('takes no snapshot of an empty state or on request', async () => {
  await emptyState({ root }, 'reset', true)
  expect(await read()).toBeNull()
  await emptyState({ root }, 'reset')
  await saveSnapshot({ root }, 'empty')
  await restoreSnapshot({ root }, 'empty', true)
  expect(kept()).toEqual(['main: undefined'])
  await deleteSnapshot({ root }, 'empty')
  expect(await readdir(join(root, 'states'))).toHaveLength(1)
})
