import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation, orThrow } from '../../lib/mutations.ts'
import { defineOfflineMutation } from '../../lib/offline/outbox.ts'

export const saveName = defineOfflineMutation({
  name: 'save-name',
  mutationFn: ({ person, name }: { person: string; name: string }) =>
    supabase.from('profiles').update({ display_name: name }).eq('id', person).throwOnError(),
  invalidates: ({ person }) => [keys.profile(person)],
})

type Picture = { person: string; file: File; before: string | null }

/** Replaces the picture. Each has a new name, because browsers cache public addresses. */
export const savePicture = defineMutation({
  mutationFn: async ({ person, file, before }: Picture) => {
    const path = `${person}/${crypto.randomUUID()}`
    await orThrow(supabase.storage.from('avatars').upload(path, file, { contentType: file.type }))
    await supabase.from('profiles').update({ avatar_path: path }).eq('id', person).throwOnError()
    if (before) await supabase.storage.from('avatars').remove([before])
  },
  invalidates: ({ person }) => [keys.profile(person)],
})

export const removePicture = defineMutation({
  mutationFn: async ({ person, before }: Omit<Picture, 'file'>) => {
    await supabase.from('profiles').update({ avatar_path: null }).eq('id', person).throwOnError()
    if (before) await supabase.storage.from('avatars').remove([before])
  },
  invalidates: ({ person }) => [keys.profile(person)],
})
