// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { SecondFactorSetting } from './second-factor-setting.tsx'

/** Requested writes, and the response to each. */
const writes = vi.hoisted(() => {
  const asked: { wanted: boolean; answer(status: number): void }[] = []
  globalThis.fetch = (_input, init) =>
    new Promise((resolve) => {
      asked.push({
        wanted: JSON.parse(String(init?.body)).require_second_factor,
        answer: (status) =>
          resolve(
            Response.json(
              status === 200
                ? [{ id: '1' }]
                : { code: '42501', message: 'No.', hint: 'Ask somebody.', details: '{"code":"no"}' },
              {
                status,
              },
            ),
          ),
      })
    })
  return asked
})
afterEach(() => {
  writes.length = 0
})

const show = () =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SecondFactorSetting library={{ id: '1', require_second_factor: false }} hasSecondFactor />
    </QueryClientProvider>,
  )

test('a click while saving is saved afterwards, in order', async () => {
  show()
  const box = screen.getByRole<HTMLInputElement>('checkbox')
  await userEvent.click(box)
  await waitFor(() => expect(writes).toHaveLength(1))
  expect([box.checked, box.disabled, document.activeElement]).toEqual([true, false, box])
  await userEvent.click(box)
  await userEvent.click(box)
  expect([box.checked, box.disabled, document.activeElement]).toEqual([true, false, box])
  for (const [index, wanted] of [true, false, true].entries()) {
    await waitFor(() => expect(writes).toHaveLength(index + 1))
    expect(writes[index]?.wanted).toBe(wanted)
    writes[index]?.answer(200)
  }
  expect(box.disabled).toBe(false)
})

test('three clicks before the next render are three changes', async () => {
  show()
  const box = screen.getByRole<HTMLInputElement>('checkbox')
  for (const isChecked of [true, false, true]) {
    fireEvent.click(box)
    expect(box.checked).toBe(isChecked)
  }
  for (const [index, wanted] of [true, false, true].entries()) {
    await waitFor(() => expect(writes).toHaveLength(index + 1))
    expect(writes[index]?.wanted).toBe(wanted)
    writes[index]?.answer(200)
  }
})

test('a failed save is explained, and the saved value is shown', async () => {
  show()
  const box = screen.getByRole<HTMLInputElement>('checkbox')
  await userEvent.click(box)
  await waitFor(() => expect(writes).toHaveLength(1))
  writes[0]?.answer(403)
  await waitFor(() => expect(box.checked).toBe(false))
  expect(screen.getByRole('alert').textContent).toContain('No.')
  expect([box.disabled, document.activeElement]).toEqual([false, box])
})
