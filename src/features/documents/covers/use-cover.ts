import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Card } from '../card.ts'
import { coverAddressQuery } from './cover-address.ts'
import { covers } from './covers.ts'
import { isDrawable } from './drawable.ts'

/** The address of a document's cover, and what to call when the picture cannot be shown. Editors' browsers make a cover that is
 *  missing. */
export function useCover(library: string, { id, mime_type, version }: Card, canEdit: boolean) {
  const made = useSyncExternalStore(covers.subscribe, () => (version ? covers.made(version.id) : undefined))
  const path = version?.cover_path ?? made
  const isMissing = path === undefined && isDrawable(mime_type) && canEdit
  useEffect(() => (isMissing && mayMake() ? covers.add({ document: id }) : undefined), [isMissing, id])
  const { data } = useQuery({ ...coverAddressQuery(library, path ?? ''), enabled: path !== undefined })
  const [broken, setBroken] = useState<string>()
  return { url: data?.url === broken ? undefined : data?.url, onError: () => setBroken(data?.url) }
}

/** Not without network, and not where a person asks for as little traffic as possible: the whole file would be fetched. Not every
 *  browser says so, and TypeScript's types do not have it. */
function mayMake(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  return navigator.onLine && connection?.saveData !== true
}
