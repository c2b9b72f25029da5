import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useTextOutline } from '../outline/use-text-outline.ts'
import { ReaderFrame } from '../reader-frame.tsx'

/** A note where it is written: as wide as where it is read, with the same outline. */
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

/** Milliseconds in which several changes are one. */
const TOGETHER = 300

/** How often the content of an element has changed: the first change counts before it is drawn, those that follow it together. */
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
