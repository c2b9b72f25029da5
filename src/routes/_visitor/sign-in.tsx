import { createFileRoute } from '@tanstack/react-router'
import { SignInScreen } from '../../screens/account/sign-in-screen.tsx'

export const Route = createFileRoute('/_visitor/sign-in')({ component: SignInScreen })
