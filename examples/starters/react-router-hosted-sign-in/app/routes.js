import { index, route } from '@react-router/dev/routes'

export default [
  index('routes/home.jsx'),
  route('login', 'routes/login.js'),
  route('callback', 'routes/callback.js'),
  route('logout', 'routes/logout.js'),
]
