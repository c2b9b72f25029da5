import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { persistentState } from '../place/state-folders.ts'
import { BranchError, createBranch, saveSnapshot, switchBranch } from './branches.ts'
import { currentState, loadRegistry, registryPath } from './registry.ts'
import { deleteBranch, restoreSnapshot } from './undo.ts'

let workdir: string
let root: string
beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-branches-'))
  root = join(workdir, 'supabase/.undock')
  await write(join(root, 'database/data'), 'first')
  await write(join(root, 'database/undock.complete'), '')
  await write(join(root, 'storage/objects/bucket/content'), 'file')
  await write(join(root, 'storage/resumable/upload'), 'half')
  await write(join(root, 'storage/tmp/draft'), 'draft')
  await write(join(root, 'mail/1.eml'), 'mail')
})
afterEach(() => rm(workdir, { recursive: true }))

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

const current = (path: string) => readFile(join(currentState(root), path), 'utf8')
const states = () => readdir(join(root, 'states'))

test('the initial state becomes the branch main without moving', async () => {
  expect(persistentState(workdir).database).toBe(join(root, 'database'))
  expect(loadRegistry(root)).toMatchObject({ current: 'main', branches: [{ name: 'main', folder: '' }] })
  await createBranch({ root }, 'copy')
  expect(persistentState(workdir).database).toBe(join(root, 'database'))
})

test('a branch copies mutable data and shares immutable contents', async () => {
  await createBranch({ root }, 'feature/x')
  await switchBranch({ root }, 'feature/x')
  await write(join(root, 'database/data'), 'changed')
  await write(join(root, 'storage/resumable/upload'), 'whole')
  expect([await current('database/data'), await current('storage/resumable/upload')]).toEqual(['first', 'half'])
  const content = 'storage/objects/bucket/content'
  const [mine, theirs] = await Promise.all([root, currentState(root)].map((at) => stat(join(at, content))))
  expect(mine?.ino).toBe(theirs?.ino)
  expect(existsSync(join(currentState(root), 'storage/tmp'))).toBe(false)
  expect(persistentState(workdir)).toMatchObject({
    mail: join(currentState(root), 'mail'),
    logs: join(root, 'logs'),
    lock: join(root, 'lock'),
  })
})

test('a branch leaves out a database whose copy was interrupted', async () => {
  await write(join(root, 'database-native/data'), 'half')
  await createBranch({ root }, 'copy')
  await switchBranch({ root }, 'copy')
  expect((await readdir(currentState(root))).toSorted()).toEqual(['database', 'mail', 'storage'])
})

test('ignores what a killed process left behind and removes it with the next change', async () => {
  let killed: () => void = () => undefined
  const reached = new Promise<void>((resolve) => {
    killed = resolve
  })
  void createBranch(
    {
      root,
      copyCurrent: async (to) => {
        await write(join(to, 'database/undock.complete'), '')
        killed()
        await new Promise(() => undefined)
      },
    },
    'half',
  )
  await reached
  await writeFile(`${registryPath(root)}.draft`, '{"current": "ha')
  expect(await states()).toHaveLength(1)
  expect(loadRegistry(root).branches.map(({ name }) => name)).toEqual(['main'])
  await createBranch({ root }, 'whole')
  expect(loadRegistry(root).branches.map(({ name }) => name)).toEqual(['main', 'whole'])
  expect((await states()).map((name) => `states/${name}`)).toEqual([loadRegistry(root).branches[1]?.folder])
})

test('a failed copy leaves nothing behind', async () => {
  const copyCurrent = async (to: string) => {
    await write(join(to, 'database/data'), 'half')
    throw new Error('the disk is full')
  }
  await expect(createBranch({ root, copyCurrent }, 'copy')).rejects.toThrow('the disk is full')
  expect(await states()).toEqual([])
  expect(existsSync(registryPath(root))).toBe(false)
})

test('a snapshot can be restored repeatedly, even on another branch', async () => {
  await saveSnapshot({ root }, 'before')
  await write(join(root, 'database/data'), 'changed')
  await createBranch({ root }, 'copy')
  await switchBranch({ root }, 'copy')
  for (let round = 0; round < 2; round++) {
    await restoreSnapshot({ root }, 'before')
    expect(await current('database/data')).toBe('first')
    await write(join(currentState(root), 'database/data'), 'changed again')
  }
  // The copy, the snapshot and the two replaced states.
  expect(await states()).toHaveLength(4)
})

test('the first branch can be restored and deleted like any other, and shared files stay', async () => {
  await write(join(root, 'logs/auth.log'), 'line')
  await saveSnapshot({ root }, 'before')
  await restoreSnapshot({ root }, 'before', true)
  expect((await readdir(root)).toSorted()).toEqual(['branches.json', 'logs', 'states'])
  expect(await current('mail/1.eml')).toBe('mail')
  await createBranch({ root }, 'copy')
  await switchBranch({ root }, 'copy')
  await deleteBranch({ root }, 'main')
  expect(loadRegistry(root).branches.map(({ name }) => name)).toEqual(['copy'])
})

test.each(['', '-x', 'a b', 'a\nb', 'a:b', 'x'.repeat(201)])('rejects %j as a name', async (name) => {
  await expect(createBranch({ root }, name)).rejects.toThrow(BranchError)
  await expect(saveSnapshot({ root }, name)).rejects.toThrow('is not a valid name for a snapshot')
})

test('rejects taken and unknown names, and deleting the current branch', async () => {
  await expect(createBranch({ root }, 'main')).rejects.toThrow('The branch "main" already exists')
  await expect(createBranch({ root }, 'copy', 'nothing')).rejects.toThrow('There is no branch "nothing"')
  await expect(switchBranch({ root }, 'nothing')).rejects.toThrow('The branches are main')
  await expect(deleteBranch({ root }, 'main')).rejects.toThrow('is the current branch')
  await expect(restoreSnapshot({ root }, 'nothing')).rejects.toThrow('`undock snapshot save NAME` creates one')
})

test.each([
  '',
  '{}',
  '{"current": "gone", "branches": [], "snapshots": []}',
  '{"current": "main", "branches": [{"name": "main", "folder": "../..", "parent": null, "createdAt": null}], "snapshots": []}',
])('reports a damaged list of branches instead of using the wrong data: %s', async (text) => {
  await writeFile(registryPath(root), text)
  expect(() => persistentState(workdir)).toThrow('undock does not know which data belongs to which branch')
})
