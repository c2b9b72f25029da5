import { useNavigate } from '@tanstack/react-router'
import { referenceIn } from '../../../domain/note-references.ts'

type Press = Pick<MouseEvent, 'button' | 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'preventDefault'>

/** @returns a click handler that opens document links within the app. */
export function useInsideLinks(): (event: Press, link: HTMLAnchorElement | null | undefined) => void {
  const navigate = useNavigate()
  return (event, link) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    const place = isPlain && link ? referenceIn(link.getAttribute('href') ?? '') : undefined
    if (!place) return
    event.preventDefault()
    const { library, document, ...search } = place
    void navigate({ to: '/l/$library/d/$document', params: { library, document }, search })
  }
}
