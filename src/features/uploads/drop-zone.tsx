import { UploadCloud } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { isFormattedText } from '../../domain/drag-and-drop.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { fromTransfer, type PlacedFile } from './dropped.ts'

/** Modal dialogs turn the pointer off for the app, which then accepts no files. */
const carriesFiles = (event: DragEvent) =>
  document.body.style.pointerEvents !== 'none' && (event.dataTransfer?.types.includes('Files') ?? false)

/** Accepts files and folders dropped or pasted anywhere in the window. */
export function DropZone({ onFiles }: { onFiles: (files: PlacedFile[]) => void }) {
  const [over, setOver] = useState(false)
  const take = useEffectEvent((transfer: DataTransfer | null) => {
    if (transfer) void fromTransfer(transfer).then(onFiles)
  })

  useEffect(() => {
    // Entering a child fires before leaving its parent, so depth tells whether the pointer is inside.
    let depth = 0
    const enter = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      depth += 1
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      depth = Math.max(0, depth - 1)
      if (depth === 0) setOver(false)
    }
    const allow = (event: DragEvent) => {
      if (carriesFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      // Dropped into a note instead.
      const isTaken = event.defaultPrevented
      event.preventDefault()
      depth = 0
      setOver(false)
      if (!isTaken) take(event.dataTransfer)
    }
    const paste = ({ clipboardData, defaultPrevented }: ClipboardEvent) => {
      if (clipboardData?.files.length && !defaultPrevented && !isFormattedText(clipboardData)) take(clipboardData)
    }
    const stop = new AbortController()
    // Before the window's listeners in index.html, which refuse what no one has taken.
    document.addEventListener('dragenter', enter, stop)
    document.addEventListener('dragleave', leave, stop)
    document.addEventListener('dragover', allow, stop)
    document.addEventListener('drop', drop, stop)
    document.addEventListener('paste', paste, stop)
    return () => stop.abort()
  }, [])

  if (!over) return null
  return (
    <div className="pointer-events-none fixed inset-3 z-40 grid animate-appear place-items-center rounded-2xl border-2 border-accent border-dashed bg-paper/90">
      <p className="grid justify-items-center gap-3 font-serif text-2xl">
        <UploadCloud aria-hidden className="size-10 text-accent" strokeWidth={1.4} />
        {t('Drop it anywhere')}
      </p>
    </div>
  )
}
