// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { READ_ONLY } from '../anchors.ts'
import { ProseView } from './prose-view.tsx'

// Layout APIs that jsdom lacks.
vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }))

const TABLE = 'NAME      SIZE\nlamp        12'

test('text files use a monospaced font, unless the reader chooses another', async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ProseView text={TABLE} form="plain" {...READ_ONLY} />
    </QueryClientProvider>,
  )
  const text = () => screen.getByText(/lamp/)
  expect(text().className).toContain('font-mono')
  const button = screen.getByRole('button', { name: 'Monospaced', pressed: true })
  await userEvent.click(button)
  expect(text().className).toContain('font-serif')
  await userEvent.click(button)
  expect(text().className).toContain('font-mono')
})
