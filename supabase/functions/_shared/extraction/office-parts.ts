import type { UnreadableCode } from '../errors.ts'
import { all, parseXml } from './xml.ts'
import type { Zip } from './zip.ts'

/** The parts that a part of an Office Open XML file refers to (ECMA-376 part 2), as paths in the archive.
 *  @param reference The elements of the part whose `r:id` gives the order (`p:sldId`, `sheet`); null for all parts in the order of
 *  the list of relationships.
 *  @throws {Unreadable} with the code `damaged`. */
export function relatedParts(archive: Zip, part: string, reference: string | null, damaged: UnreadableCode): string[] {
  const slash = part.lastIndexOf('/')
  const list = archive.text(`${part.slice(0, slash)}/_rels/${part.slice(slash + 1)}.rels`)
  if (!list && reference === null) return []
  const paths = new Map<string, string>()
  for (const relation of all(parseXml(list, damaged), 'Relationship')) {
    const target = relation.getAttribute('Target')
    if (target && relation.getAttribute('TargetMode') !== 'External') {
      paths.set(relation.getAttribute('Id') ?? '', resolved(part, target))
    }
  }
  if (reference === null) return [...paths.values()]
  return [...all(parseXml(archive.text(part), damaged), reference)].flatMap(
    (element) => paths.get(element.getAttribute('r:id') ?? '') ?? [],
  )
}

function resolved(from: string, target: string): string {
  try {
    return decodeURIComponent(new URL(target, new URL(from, 'zip://part/')).pathname.slice(1))
  } catch {
    return ''
  }
}
