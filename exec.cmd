@rem npm start begins with exec, which cmd.exe lacks: sh becomes Node.js, so signals to npm reach it.
@rem It also lacks env, whose two settings are of glibc: only the command after them counts here.
@for /f "tokens=1,2,3*" %%a in ("%*") do @if "%%a"=="env" (%%d) else (%*)
