// @vitest-environment jsdom
// Files that arrive after signing out aren't available to the next person.
import { expect, test, vi } from 'vitest'
import { pinFiles, withCachedFile } from '../../../src/lib/offline/file-cache.ts'
import { runSignOutCleanup } from '../../../src/lib/session/sign-out-cleanup.ts'

/** Cache Storage in memory; jsdom has none. */
function storage() {
  const all = new Map<string, Map<string, Response>>()
  const open = async (name: string) => {
    const kept = all.get(name) ?? new Map<string, Response>()
    all.set(name, kept)
    return {
      match: async (address: string) => kept.get(address),
      put: async (address: string, response: Response) => void kept.set(address, response),
      delete: async (address: string) => kept.delete(address),
      keys: async () => [...kept.keys()],
    }
  }
  return {
    caches: { open, delete: async (name: string) => all.delete(name) },
    kept: () => [...all.values()].flatMap((one) => [...one.keys()]),
  }
}

const settle = () => new Promise((resolve) => setTimeout(resolve))

test('a file that finishes loading after signing out is not stored', async () => {
  const { caches, kept } = storage()
  vi.stubGlobal('caches', caches)
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<Blob>()
  const reading = withCachedFile(
    'one',
    () => arrived,
    () => false,
  )
  const pinning = pinFiles(
    ['two', 'three', 'four', 'five'],
    () => arrived,
    () => {},
  )
  await settle()
  runSignOutCleanup()
  arrive(new Blob(['secret']))
  await expect(pinning).rejects.toThrow()
  await reading
  await settle()
  expect(kept()).toEqual([])

  await withCachedFile(
    'mine',
    async () => new Blob(['own']),
    () => false,
  )
  await pinFiles(
    ['pinned'],
    async () => new Blob(['own']),
    () => {},
  )
  await settle()
  expect(kept()).toEqual(['/kept/mine', '/kept/pinned'])
})
