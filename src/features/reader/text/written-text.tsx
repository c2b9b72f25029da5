import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useTextOutline } from '../outline/use-text-outline.ts'
import { ReaderFrame } from '../reader-frame.tsx'

/** A note being edited, with the width and outline of reading mode. */
export function WrittenText({ children }: { children: ReactNode }) {
  const root = useRef<HTMLDivElement>(null)
  const outline = useTextOutline(root, useChanges(root))
  return (
    <ReaderFrame outline={outline}>
      <div ref={root} className="mx-auto grid max-w-[44rem] gap-4">
        {children}
      </div>
    </ReaderFrame>
  )
}

/** Milliseconds to batch changes. */
const TOGETHER = 300

/** Counts changes of an element's content: the first immediately, before paint, later ones batched. */
function useChanges(root: RefObject<HTMLElement | null>): number {
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    if (!root.current) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isDue = false
    const count = () => {
      isDue = false
      setChanges((changes) => changes + 1)
      timer = setTimeout(() => {
        timer = undefined
        if (isDue) count()
      }, TOGETHER)
    }
    const observer = new MutationObserver(() => {
      if (timer === undefined) count()
      else isDue = true
    })
    observer.observe(root.current, { subtree: true, childList: true, characterData: true })
    return () => {
      observer.disconnect()
      clearTimeout(timer)
    }
  }, [root])
  return changes
}
