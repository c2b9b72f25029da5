import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** Shows what an icon does, and its shortcut. The trigger still needs an accessible name of its own. */
export function Tooltip({ text, shortcut, children }: { text: string; shortcut?: string; children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={400}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            sideOffset={6}
            collisionPadding={8}
            className="z-50 flex animate-appear items-center gap-2 rounded-md bg-ink px-2.5 py-1.5 text-paper text-xs"
          >
            {text}
            {shortcut ? <kbd className="font-sans opacity-70">{shortcut}</kbd> : null}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  )
}
