import { MAX_LENGTH } from '../../../supabase/functions/_shared/facts.ts'
import { kindOfName } from '../../domain/file-kinds.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation, orThrow } from '../../lib/mutations.ts'
import { sha256 } from '../../lib/sha256.ts'
import { BEGINNING, fileFault, safeName } from './limits.ts'

type NewVersion = { library: string; document: string; file: File }

/** Adds a file as the next version of a document.
 *  @returns whether it needs approval. */
export const addVersion = defineMutation({
  mutationFn: async ({ library, document, file }: NewVersion) => {
    const fault = fileFault(file, new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer()))
    if (fault) throw new Error(fault)
    const path = `${library}/${document}/${crypto.randomUUID()}/${safeName(file.name)}`
    const options = { contentType: kindOfName(file.name).mediaType, cacheControl: '31536000' }
    await orThrow(supabase.storage.from('documents').upload(path, file, options))
    const named = {
      file_name: file.name.slice(-MAX_LENGTH['versions.file_name']),
      content_hash: await sha256(await file.arrayBuffer()),
    }
    const { data } = await supabase.rpc('add_file', { library, document, path, ...named }).throwOnError()
    return data.proposed_version_id !== null
  },
  invalidates: ({ library, document }) => [keys.document(library, document), keys.documents(library)],
})
