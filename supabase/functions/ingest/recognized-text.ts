import { z } from 'zod'
import type { Client } from '../_shared/clients.ts'
import type { Line } from '../_shared/extraction/pdf/lines.ts'

type Pages = readonly (readonly Line[])[]

const Recognized = z.array(
  z.object({
    page: z.number(),
    lines: z.array(z.object({ text: z.string(), size: z.number(), y: z.number() })),
  }),
)

/** Notes which pages of a version have no text of their own, and fills in the text that browsers have recognized on
 *  them. */
export async function withRecognizedText(pages: Pages, version: string, service: Client): Promise<Pages> {
  const without = pages.flatMap((lines, index) => (lines.length === 0 ? [index + 1] : []))
  await service.from('versions').update({ pages_without_text: without }).eq('id', version).throwOnError()
  if (without.length === 0) return pages
  const { data } = await service.from('recognized_pages').select('page, lines').eq('version_id', version).throwOnError()
  const recognized = new Map(Recognized.parse(data).map(({ page, lines }) => [page, lines]))
  return pages.map((lines, index) => (lines.length > 0 ? lines : (recognized.get(index + 1) ?? [])))
}
