import { all, childrenOf, find, parseXml, valOf, type Xml } from './xml.ts'

/** A list item. Consecutive paragraphs with the same `list` belong together. */
export type Item = { readonly list: string; readonly start: string; readonly end: string }

const DAMAGED = 'docx_damaged'
/** HTML list types by number format; other formats use digits. */
const TYPES = new Map(Object.entries({ lowerLetter: 'a', upperLetter: 'A', lowerRoman: 'i', upperRoman: 'I' }))

/** The lists of a Word document. A paragraph or its style names a list and a level; numbering formats are in a separate
 *  part, and counting continues across other paragraphs. */
export class Lists {
  readonly #uses = new Map<string, string>()
  readonly #levels = new Map<string, ReadonlyMap<string, Xml>>()
  readonly #ofStyles = new Map<string, Xml>()
  readonly #nextNumbers = new Map<string, number[]>()

  constructor(numbering: string | undefined, styles: string | undefined) {
    if (styles) {
      for (const style of all(parseXml(styles, DAMAGED), 'w:style')) {
        const place = find(style, 'w:numPr')
        if (place) this.#ofStyles.set(style.getAttribute('w:styleId') ?? '', place)
      }
    }
    if (!numbering) return
    const root = parseXml(numbering, DAMAGED)
    for (const list of all(root, 'w:abstractNum')) {
      const levels = childrenOf(list, 'w:lvl').map((level) => [level.getAttribute('w:ilvl') ?? '0', level] as const)
      this.#levels.set(list.getAttribute('w:abstractNumId') ?? '', new Map(levels))
    }
    for (const list of all(root, 'w:num')) {
      this.#uses.set(list.getAttribute('w:numId') ?? '', valOf(find(list, 'w:abstractNumId')) ?? '')
    }
  }

  /** Call it once per paragraph, in order: it counts the items. */
  itemOf(paragraph: Xml): Item | undefined {
    const place = find(paragraph, 'w:numPr') ?? this.#ofStyles.get(valOf(find(paragraph, 'w:pStyle')) ?? '')
    if (!place) return undefined
    const id = valOf(find(place, 'w:numId')) ?? ''
    // 0 takes a paragraph out of its style's list.
    if (id === '0') return undefined
    const depth = valOf(find(place, 'w:ilvl')) ?? '0'
    const level = this.#levels.get(this.#uses.get(id) ?? '')?.get(depth)
    const format = level && valOf(find(level, 'w:numFmt'))
    const list = `${id}/${depth}`
    if (!level || format === 'bullet' || format === 'none') return { list, start: '<ul>', end: '</ul>' }
    const counts = (this.#nextNumbers.get(id) ?? []).slice(0, Number(depth) + 1)
    const count = counts[Number(depth)] ?? Number(valOf(find(level, 'w:start')) ?? 1)
    this.#nextNumbers.set(id, Object.assign(counts, { [depth]: count + 1 }))
    const type = TYPES.get(format ?? '')
    return {
      list,
      start: `<ol${type ? ` type="${type}"` : ''}${count > 1 ? ` start="${count}"` : ''}>`,
      end: '</ol>',
    }
  }
}
