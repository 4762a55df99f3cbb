@rem npm start begins with exec, which cmd.exe lacks: sh becomes Node.js, so signals to npm reach it.
@%*
