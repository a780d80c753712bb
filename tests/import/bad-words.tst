C: lock: 0
C: lok: 0: 1
X: lock: 0: 1
C: lock: 8: 1
C: lock: 0: 8
C: schedfifo: 0: 100
T: prioeq: 0: 0
  T: priority: 0: 1
T: opcodeeq: 0: no
C: lockbkl: 0: 0
C: never: 0: 0
