import type { QueryClient } from '@tanstack/react-query'
import { MAX_LENGTH } from '../../../supabase/functions/_shared/facts.ts'
import { keys } from '../../domain/keys.ts'
import { createCollection } from '../../features/collections/mutations.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { type Collection, MAX_DEPTH, pathTo } from '../../features/collections/tree.ts'
import type { PlacedFile } from '../../features/uploads/dropped.ts'
import { uploads } from '../../features/uploads/uploads.ts'
import { t } from '../../lib/i18n/i18n.ts'

type Destination = { library: string; collection: string | undefined }

/** Uploads files, creating collections for their folders. Too deep folders are merged into the deepest one. */
export async function addFiles(queryClient: QueryClient, files: readonly PlacedFile[], to: Destination): Promise<void> {
  const alone = files.filter(({ folders }) => folders.length === 0)
  uploads.add(
    alone.map(({ file }) => file),
    to,
  )
  const inFolders = files.filter(({ folders }) => folders.length > 0)
  if (inFolders.length === 0) return

  const known: Collection[] = [...(await queryClient.query({ ...collectionsQuery(to.library), staleTime: 0 }))]
  const depthLeft = MAX_DEPTH - pathTo(known, to.collection).length
  const byFolder = Map.groupBy(inFolders, ({ folders }) => folders.slice(0, depthLeft).join('\n'))
  try {
    for (const [path, inside] of byFolder) {
      const collection = await findOrCreateCollection(path === '' ? [] : path.split('\n'), known, to)
      uploads.add(
        inside.map(({ file }) => file),
        { library: to.library, collection },
      )
    }
  } finally {
    await queryClient.invalidateQueries({ queryKey: keys.collections(to.library) })
  }
}

/** @param known Receives created collections. */
async function findOrCreateCollection(
  path: readonly string[],
  known: Collection[],
  { library, collection }: Destination,
) {
  let parent = collection ?? null
  for (const folder of path) {
    const name = folder.trim().slice(0, MAX_LENGTH['collections.name']) || t('Folder')
    const there = known.find((one) => one.parent_id === parent && one.name === name)
    const id: string = there?.id ?? (await createCollection({ library, name, parent }))
    if (!there) known.push({ id, name, parent_id: parent })
    parent = id
  }
  return parent ?? undefined
}
