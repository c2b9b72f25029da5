import { createFileRoute } from '@tanstack/react-router'
import { SignUpScreen } from '../../screens/account/sign-up-screen.tsx'

export const Route = createFileRoute('/_visitor/sign-up')({ component: SignUpScreen })
