import { type RefObject, useLayoutEffect, useState } from 'react'
import { type DocumentReference, referenceIn } from '../../../domain/note-references.ts'

type Card = { link: HTMLAnchorElement; place: DocumentReference; label: string }

/** The links in an element that are drawn as cards. Their labels are taken out, because what is drawn shows the title.
 *  @param html What is drawn in the element. */
export function useCards(
  root: RefObject<HTMLElement | null>,
  html: string | undefined,
  isEnabled: boolean,
): readonly Card[] {
  const [cards, setCards] = useState<readonly Card[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: new HTML has new links
  useLayoutEffect(() => {
    if (!isEnabled) return
    const links = [...(root.current?.querySelectorAll<HTMLAnchorElement>('a[data-card]') ?? [])]
    setCards(
      links.flatMap((link) => {
        const place = referenceIn(link.getAttribute('href') ?? '')
        if (!place) return []
        if (!link.dataset.card) {
          link.dataset.card = link.textContent || link.href
          link.textContent = ''
        }
        return [{ link, place, label: link.dataset.card }]
      }),
    )
  }, [root, html, isEnabled])
  return cards
}
