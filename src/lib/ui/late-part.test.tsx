// @vitest-environment jsdom
import { act, render, screen } from '@testing-library/react'
import { useLayoutEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test, vi } from 'vitest'
import { latePart } from './late-part.ts'

function partOf() {
  const loads: PromiseWithResolvers<string>[] = []
  const part = latePart(() => {
    const load = Promise.withResolvers<string>()
    loads.push(load)
    return load.promise
  })
  return { part, loads }
}

type PageProps = { part: ReturnType<typeof partOf>['part']; onDrawn?: () => void }

function Page({ part, onDrawn }: PageProps) {
  const text = part.use(true)
  useLayoutEffect(() => onDrawn?.(), [onDrawn])
  return <p>{text ?? 'waiting'}</p>
}

test('a part that loads between render and effects is shown', async () => {
  const { part, loads } = partOf()
  part.prepare()
  const element = document.createElement('div')
  const root = createRoot(element)
  // As in a browser: act would run effects before promises settle.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false)
  root.render(<Page part={part} onDrawn={() => loads[0]?.resolve('there')} />)
  await vi.waitFor(() => expect(element.textContent).toBe('there'))
  root.unmount()
  vi.unstubAllGlobals()
  expect(loads.length).toBe(1)
})

test('a part that failed to load is loaded again on use', async () => {
  const { part, loads } = partOf()
  part.prepare()
  await act(async () => loads[0]?.reject(new Error('no network')))
  render(<Page part={part} />)
  await act(async () => loads[1]?.resolve('there'))
  expect(screen.getByText('there')).toBeTruthy()
  expect(part.loaded()).toBe('there')
})
